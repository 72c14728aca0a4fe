# Interactive bash under ccd: the user's own files first, then prompt marks (OSC 133).

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

# Keeps the status, for the commands in PROMPT_COMMAND that follow.
__ccd_prompt_begin() {
    local __ccd_status=$?
    builtin printf '\e]133;D;%s\a' "$__ccd_status"
    return "$__ccd_status"
}

# Runs last, because PROMPT_COMMAND often sets the prompt again.
__ccd_prompt_end() {
    local __ccd_status=$?
    if [[ ${PS1-} != *'133;A'* ]]; then
        PS1='\[\e]133;A\a\]'${PS1-}'\[\e]133;B\a\]'
    fi
    # No \[ \] here: bash would print them as bytes 1 and 2.
    if [[ ${PS0-} != *'133;C'* ]]; then
        PS0='\e]133;C\a'${PS0-}
    fi
    return "$__ccd_status"
}

if [[ "$(declare -p PROMPT_COMMAND 2>/dev/null)" == 'declare -a'* ]]; then
    PROMPT_COMMAND=(__ccd_prompt_begin "${PROMPT_COMMAND[@]}" __ccd_prompt_end)
else
    # On separate lines, because the user's command may end in a comment or a semicolon.
    PROMPT_COMMAND=__ccd_prompt_begin$'\n'${PROMPT_COMMAND:+$PROMPT_COMMAND$'\n'}__ccd_prompt_end
fi

# Lines typed for `session run` start with a space.
case ":${HISTCONTROL-}:" in
    *:ignorespace:* | *:ignoreboth:*) ;;
    *) HISTCONTROL=ignorespace${HISTCONTROL:+:$HISTCONTROL} ;;
esac
