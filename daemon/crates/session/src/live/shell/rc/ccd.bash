# Interactive bash under ccd: the user's own files first, then prompt marks (OSC 133).

# Not for another shell that the user's files may start in place of this one.
__ccd_dir=${CCD_SHELL_DIR-}
unset CCD_SHELL_DIR CCD_SHELL_KIND

if [[ -n ${CCD_SHELL_LOGIN-} ]]; then
    unset CCD_SHELL_LOGIN
    [[ -r /etc/profile ]] && . /etc/profile
    for __ccd_file in ~/.bash_profile ~/.bash_login ~/.profile; do
        if [[ -r $__ccd_file ]]; then
            . "$__ccd_file"
            break
        fi
    done
    unset __ccd_file
elif [[ -r ~/.bashrc ]]; then
    . ~/.bashrc
fi

# What follows has no aliases of the user's, and a test that fails is no error.
__ccd_errexit=
[[ $- != *e* ]] || __ccd_errexit=1
set +e
__ccd_aliases=
\shopt -q expand_aliases && __ccd_aliases=1
\shopt -u expand_aliases

# Keeps the status, for the commands in PROMPT_COMMAND that follow. Under `set -e` a status would end the shell.
__ccd_prompt_begin() {
    local __ccd_status=$?
    [[ -z ${__ccd_begun-} ]] || return "$__ccd_status"
    __ccd_begun=1
    builtin printf '\e]133;D;%s\a' "$__ccd_status${__ccd_nonce:+;$__ccd_nonce}" >/dev/tty
    if [[ -n ${__ccd_nonce-} ]]; then
        [[ -z $__ccd_expands ]] || set -H
        unset __ccd_nonce __ccd_expands
    fi
    [[ $- == *e* ]] || return "$__ccd_status"
}

# Runs last, because PROMPT_COMMAND often sets the prompts again.
__ccd_prompt_end() {
    local __ccd_status=$?
    unset __ccd_begun
    if [[ ${PS1-} != *'133;A'* ]]; then
        PS1='\[\e]133;A\a\]'${PS1-}'\[\e]133;B'${__ccd_takes:+;ccd}'\a\]'
    fi
    if [[ ${PS2-} != *'133;A'* ]]; then
        PS2='\[\e]133;A;k=s\a\]'${PS2-}
    fi
    # No \[ \] here: bash would print them as bytes 1 and 2.
    if [[ ${PS0-} != *'133;C'* ]]; then
        # The substring is empty: it only notes that the prompt is over.
        PS0=${PS0-}'\e]133;C${__ccd_nonce:+;$__ccd_nonce}\a${__ccd_void:__ccd_shown=0}'
    fi
    __ccd_shown=1
    [[ $- == *e* ]] || return "$__ccd_status"
}

# Returns whether the line editor reads a command, and not an answer to `read -e`: then the number of the current command is
# not that of the last one in the history. Older versions do not show it, and an empty history does not either.
__ccd_reads_command() {
    local __ccd_number='\!'
    ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501 && HISTCMD == ${__ccd_number@P} + 1))
}

# The groups keep these lines out of the trace of `set -x`, and what a DEBUG trap prints about them out of the output.
__ccd_hook() {
    local __ccd_flags
    __ccd_flags=$(declare -p PROMPT_COMMAND 2>/dev/null)
    __ccd_flags=${__ccd_flags#declare }
    # If it is readonly, the other key reports the status of each command.
    [[ ${__ccd_flags%% *} != *r* ]] || return 0
    local __ccd_begin='{ __ccd_prompt_begin; } &>/dev/null' __ccd_end='{ __ccd_prompt_end; } &>/dev/null'
    if [[ "$(declare -p PROMPT_COMMAND 2>/dev/null)" == 'declare -a'* ]]; then
        PROMPT_COMMAND=("$__ccd_begin" "${PROMPT_COMMAND[@]}" "$__ccd_end")
    else
        # On separate lines, because the user's command may end in a comment or a semicolon.
        PROMPT_COMMAND=$__ccd_begin$'\n'${PROMPT_COMMAND:+$PROMPT_COMMAND$'\n'}$__ccd_end
    fi
}
__ccd_hook

# `session run` presses a key that makes the line editor take a command from a file, and then enter it.
__ccd_take() {
    local __ccd_command
    unset __ccd_begun
    {
        builtin read -r __ccd_nonce
        IFS= builtin read -r -d '' __ccd_command
    } <"$__ccd_dir/command" || :
    __ccd_nonce=${__ccd_nonce#'# '}
    if ((!__ccd_shown)) && ! __ccd_reads_command; then
        __ccd_enter redraw-current-line
        builtin printf '\e]133;T;%s;asks\a' "$__ccd_nonce" >/dev/tty
        unset __ccd_nonce
        return
    fi
    if [[ -z $__ccd_nonce || -n $READLINE_LINE ]]; then
        __ccd_enter redraw-current-line
        builtin printf '\e]133;T;%s;%s\a' "$__ccd_nonce" "${READLINE_LINE:+typed}" >/dev/tty
        unset __ccd_nonce
        return
    fi
    __ccd_enter accept-line
    while [[ $__ccd_command == *$'\n' ]]; do
        __ccd_command=${__ccd_command%$'\n'}
    done
    # bash runs pasted lines one by one, and continues with the next one after an error or `^C`.
    if [[ $__ccd_command == *$'\n'* ]]; then
        local __ccd_error
        __ccd_error=$(__ccd_parse "$__ccd_command")
        case $?$__ccd_error in
            0*) __ccd_command=$'{\n'$__ccd_command$'\n}' ;;
            *' unexpected '*EOF* | *' unexpected end of file'*) __ccd_command=$'{\n'$__ccd_command ;;
            *)
                __ccd_refuse "$__ccd_command" "$__ccd_error"
                return
                ;;
        esac
    fi
    READLINE_LINE=$__ccd_command
    READLINE_POINT=${#READLINE_LINE}
    # A command that comes before ours may change the status.
    [[ ${PROMPT_COMMAND-} == '{ __ccd_prompt_begin;'* ]] || __ccd_hook
    # The command is no line for history expansion.
    __ccd_expands=
    if [[ $- == *H* ]]; then
        __ccd_expands=1
        set +H
    fi
    builtin printf '\e]133;T;%s\a' "$__ccd_nonce" >/dev/tty
}

# `session run` presses another key if a command has replaced the prompt, and with it the mark of the command's end.
__ccd_report() {
    local __ccd_status=$?
    [[ -n ${__ccd_nonce-} ]] && __ccd_reads_command || return
    builtin printf '\e]133;D;%s;%s;rescue\a\e]133;B;ccd\a' "$__ccd_status" "$__ccd_nonce" >/dev/tty
    [[ -z $__ccd_expands ]] || set -H
    unset __ccd_nonce __ccd_expands
    __ccd_hook
}

# Parses a command without running it, in a function that is not called. Fails with the error of the command, or that its
# end is missing.
__ccd_parse() {
    set +x
    LC_ALL=C
    { builtin eval $'__ccd_parsed() { case x in x)\n'"$1"$'\n;; esac; }'; } 2>/dev/null && return 0
    { builtin eval $'__ccd_parsed() { case x in x)\n'"$1"; } 2>&1
}

# Shows a command that cannot be parsed as if it had been entered, and its error. The shell itself would run the lines
# after the error.
__ccd_refuse() {
    local __ccd_shown=${PS1@P} __ccd_message=${2%%$'\n'*}
    __ccd_shown=${__ccd_shown//[$'\001\002']/}
    if [[ $__ccd_message == *'eval: line '* ]]; then
        local __ccd_reason=${__ccd_message#*eval: line }
        __ccd_message=${__ccd_message%%eval: line *}${__ccd_reason#*: }
    fi
    __ccd_enter redraw-current-line
    builtin printf '\e]133;T;%s\a%s%s\n\e]133;C;%s\a%s\n\e]133;D;2;%s\a' "$__ccd_nonce" \
        "$__ccd_shown" "$1" "$__ccd_nonce" "$__ccd_message" "$__ccd_nonce" >/dev/tty
    builtin history -s -- "$1"
    unset __ccd_nonce
}

__ccd_enter() {
    local __ccd_map
    [[ ${__ccd_entered-} != "$1" ]] || return 0
    for __ccd_map in emacs vi-insert vi-command; do
        builtin bind -m "$__ccd_map" '"\e[5097~": '"$1"
    done
    __ccd_entered=$1
}

# From this version on, bash has PS0 and can edit its line from a function.
__ccd_takes= __ccd_void= __ccd_shown=0
if [[ -n $__ccd_dir ]] && ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)); then
    __ccd_takes=1
    for __ccd_map in emacs vi-insert vi-command; do
        builtin bind -m "$__ccd_map" -x '"\e[5098~": { __ccd_take; } &>/dev/null'
        builtin bind -m "$__ccd_map" '"\C-x\C-_": "\e[5098~\e[5097~"'
        builtin bind -m "$__ccd_map" -x '"\C-x\C-^": { __ccd_report; } &>/dev/null'
    done
    unset __ccd_map
    __ccd_enter accept-line
fi
__ccd_prompt_end

# Lines typed for `session run --isolate` start with a space.
case ":${HISTCONTROL-}:" in
    *:ignorespace:* | *:ignoreboth:*) ;;
    *) HISTCONTROL=ignorespace${HISTCONTROL:+:$HISTCONTROL} ;;
esac

[[ -z $__ccd_aliases ]] || shopt -s expand_aliases
[[ -z $__ccd_errexit ]] || set -e
unset __ccd_aliases __ccd_errexit
