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
        __ccd_preexec() {
            builtin print -n '\e]133;C\a'
        }

        __ccd_precmd() {
            local __ccd_status=$?
            builtin print -n "\e]133;D;${__ccd_status}\a"
            # At every prompt, because themes set it again.
            if [[ "$PS1" != *'133;A'* ]]; then
                PS1=$'%{\e]133;A\a%}'"$PS1"$'%{\e]133;B\a%}'
            fi
        }

        # Set up at the first prompt: by then the user's files are read.
        __ccd_start() {
            # Lines typed for `session run` start with a space.
            builtin setopt hist_ignore_space
            precmd_functions=(${precmd_functions:#__ccd_start} __ccd_precmd)
            preexec_functions+=(__ccd_preexec)
            __ccd_precmd
            builtin unfunction __ccd_start
        }

        builtin typeset -ga precmd_functions preexec_functions
        precmd_functions+=(__ccd_start)
    fi
}
