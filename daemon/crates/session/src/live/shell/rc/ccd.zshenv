# Interactive zsh under ccd: zsh reads this file in place of the user's .zshenv, continues with
# the user's own files, and gets prompt marks (OSC 133) before its first prompt.

if [[ -n "${CCD_ZDOTDIR+set}" ]]; then
    builtin export ZDOTDIR="$CCD_ZDOTDIR"
    builtin unset CCD_ZDOTDIR
else
    builtin unset ZDOTDIR
fi

{
    # An empty or unset ZDOTDIR means the home folder, as in zsh itself.
    [[ -r "${ZDOTDIR:-$HOME}/.zshenv" ]] && builtin source -- "${ZDOTDIR:-$HOME}/.zshenv"
} always {
    if [[ -o interactive ]]; then
        builtin typeset -g __ccd_dir="${CCD_SHELL_DIR-}" __ccd_nonce= __ccd_undo= __ccd_marked=
        builtin unset CCD_SHELL_DIR CCD_SHELL_KIND

        # In the functions, the groups keep these lines out of the trace of `setopt xtrace`.
        __ccd_preexec() {
            { builtin print -n "\e]133;C${__ccd_nonce:+;$__ccd_nonce}\a" >/dev/tty } 2>/dev/null
        }

        # Runs first, so that what the user's functions print comes after the mark.
        __ccd_precmd_begin() {
            {
                local __ccd_status=$?
                if [[ -z "$__ccd_marked" ]]; then
                    builtin print -n "\e]133;D;${__ccd_status}${__ccd_nonce:+;$__ccd_nonce}\a" >/dev/tty
                fi
                __ccd_restore
            } 2>/dev/null
        }

        __ccd_restore() {
            builtin eval "$__ccd_undo"
            __ccd_nonce= __ccd_undo= __ccd_marked=
        }

        # Runs last and at every prompt, because themes set the prompts again.
        __ccd_precmd_end() {
            {
                if [[ "$PS1" != *'133;A'* ]]; then
                    PS1=$'%{\e]133;A\a%}'"$PS1"$'%{\e]133;B'"${__ccd_dir:+;ccd}"$'\a%}'
                fi
                if [[ "$PS2" != *'133;A'* ]]; then
                    PS2=$'%{\e]133;A;k=s\a%}'"$PS2"
                fi
            } 2>/dev/null
        }

        # `session run` presses a key that makes the line editor take a command from a file, and then enter it.
        __ccd_take() {
            {
                __ccd_restore
                # The command may have comments. Only here, because the other function restores all options.
                if [[ ! -o interactive_comments ]]; then
                    __ccd_undo='builtin unsetopt interactive_comments;'
                    builtin setopt interactive_comments
                fi
                # What was given is not a spelling mistake.
                if [[ -o correct || -o correct_all ]]; then
                    [[ -o correct ]] && __ccd_undo+='builtin setopt correct;'
                    [[ -o correct_all ]] && __ccd_undo+='builtin setopt correct_all;'
                    builtin unsetopt correct correct_all
                fi
                __ccd_fill
                [[ -n "$__ccd_nonce" ]] || __ccd_restore
            } 2>/dev/null
        }

        __ccd_fill() {
            {
                # The user may have made zsh another shell (`emulate sh`).
                builtin emulate -L zsh
                local __ccd_command
                {
                    builtin read -r __ccd_nonce
                    IFS= builtin read -r -d '' __ccd_command
                } <"$__ccd_dir/command" || builtin :
                __ccd_nonce="${__ccd_nonce#\# }"
                if [[ -z "$__ccd_nonce" || "$CONTEXT" != start || -n "$BUFFER" ]]; then
                    local __ccd_why=asks
                    [[ "$CONTEXT" != start ]] || __ccd_why="${BUFFER:+typed}"
                    builtin print -n "\e]133;T;$__ccd_nonce;$__ccd_why\a" >/dev/tty
                    __ccd_nonce=
                    return
                fi
                while [[ "$__ccd_command" == *$'\n' ]]; do
                    __ccd_command="${__ccd_command%$'\n'}"
                done
                BUFFER="$__ccd_command"
                CURSOR=$#BUFFER
                (( ${precmd_functions[(I)__ccd_precmd_begin]} )) || __ccd_hook
                # The command is no line for history expansion. For this line the option comes too late, but not the
                # characters: a command has no NUL.
                if [[ -n "$histchars" ]]; then
                    __ccd_undo+="[[ -n \"\$histchars\" ]] || histchars=${(qq)histchars};"
                    histchars=$'\0\0'"${histchars[3]}"
                fi
                # Before it calls any function, zsh marks output that has no final newline. The end of the output comes first.
                if [[ -o prompt_sp && -o prompt_cr ]]; then
                    if [[ -n "${PROMPT_EOL_MARK+set}" ]]; then
                        __ccd_undo+="PROMPT_EOL_MARK=${(q)PROMPT_EOL_MARK}"
                    else
                        __ccd_undo+='builtin unset PROMPT_EOL_MARK'
                    fi
                    builtin typeset -g PROMPT_EOL_MARK=$'%{\e]133;D;%?;'"$__ccd_nonce"$'\a%}'"${PROMPT_EOL_MARK-%B%S%#%s%b}"
                    __ccd_marked=1
                fi
                builtin print -n "\e]133;T;$__ccd_nonce\a" >/dev/tty
                builtin zle accept-line
            } 2>/dev/null
        }

        # `session run` presses another key if a command has replaced the prompt, and with it the mark of the command's end.
        __ccd_report() {
            {
                local __ccd_status=$?
                if [[ -n "$__ccd_nonce" && "$CONTEXT" == start ]]; then
                    builtin print -n "\e]133;D;$__ccd_status;$__ccd_nonce;rescue\a\e]133;B;ccd\a" >/dev/tty
                    __ccd_restore
                    __ccd_hook
                    builtin zle .reset-prompt
                fi
            } 2>/dev/null
        }

        __ccd_hook() {
            { builtin emulate -L zsh } 2>/dev/null
            precmd_functions=(__ccd_precmd_begin ${precmd_functions:#__ccd_*} __ccd_precmd_end)
            preexec_functions=(${preexec_functions:#__ccd_*} __ccd_preexec)
        }

        # Set up before the first prompt: by then the user's files are read.
        __ccd_start() {
            # Lines typed for `session run --isolate` start with a space.
            builtin setopt hist_ignore_space
            __ccd_hook
            if [[ -o zle ]] && builtin zle -N __ccd_take && builtin zle -N __ccd_report; then
                builtin local __ccd_map
                for __ccd_map in emacs viins vicmd; do
                    builtin bindkey -M "$__ccd_map" '^X^_' __ccd_take
                    builtin bindkey -M "$__ccd_map" '^X^^' __ccd_report
                done
            else
                __ccd_dir=
            fi
            __ccd_precmd_begin
            __ccd_precmd_end
            builtin unfunction __ccd_start
        }

        builtin typeset -ga precmd_functions preexec_functions
        # Files that assign `precmd_functions` do not touch this.
        if builtin zmodload zsh/sched 2>/dev/null; then
            builtin sched +0 __ccd_start
        else
            precmd_functions+=(__ccd_start)
        fi
    fi
}
