#compdef ccctl
# Completion of ccctl for zsh; `ccctl completions zsh` prints it.

_ccctl() {
    local program line
    local -a lines found before
    program=${${(Q)words[1]}/#\~\//$HOME/}
    (( $+commands[$program] )) || [[ -x $program ]] || program=ccctl
    before=("${(@Q)words[1,CURRENT-1]}")
    # ccctl complete expects the value of --option=value as a separate word.
    [[ $PREFIX == --*=* ]] && before+=("${PREFIX%%=*}") && compset -P '*='
    lines=("${(@f)$(command $program complete $#before "${(@)before}" "${(Q)PREFIX}" 2>/dev/null)}")
    for line in $lines; do
        case $line in
        :files) _files ;;
        :folders) _files -/ ;;
        :programs) _command_names -e ;;
        ?*)
            # A colon separates a name from its description.
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
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i -D }
    compdef _ccctl ccctl
fi
