#compdef ccctl
# Completion of ccctl for zsh; `ccctl completions zsh` prints it.

_ccctl() {
    local program line
    local -a lines found
    program=${${(Q)words[1]}/#\~\//$HOME/}
    (( $+commands[$program] )) || [[ -x $program ]] || program=ccctl
    lines=("${(@f)$(command $program complete $((CURRENT - 1)) "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
    for line in $lines; do
        case $line in
        :files) _files ;;
        :folders) _files -/ ;;
        :programs) _command_names -e ;;
        ?*)
            # A colon stands between a name and its description.
            line=${line//:/\\:}
            found+=("${line/$'\t'/:}")
            ;;
        esac
    done
    (( $#found )) && _describe -V ccctl found
}

if [[ $funcstack[1] == _ccctl ]]; then
    _ccctl "$@"
else
    compdef _ccctl ccctl
fi
