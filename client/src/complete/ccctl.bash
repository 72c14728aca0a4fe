# Completion of ccctl for bash; `ccctl completions bash` prints it.

_ccctl() {
    local program current line IFS=$'\n'
    program=$(type -P -- "${COMP_WORDS[0]/#\~/$HOME}") || program=ccctl
    current=${COMP_WORDS[COMP_CWORD]}
    # bash makes the sign after --option a word of its own.
    [[ $current == = ]] && current=
    # An unfinished word includes its opening quote.
    current=${current#[\"\']}
    COMPREPLY=()
    while read -r line; do
        case $line in
        :files)
            compopt -o filenames 2>/dev/null
            COMPREPLY+=($(compgen -f -- "$current"))
            ;;
        :folders)
            compopt -o filenames 2>/dev/null
            COMPREPLY+=($(compgen -d -- "$current"))
            ;;
        :programs)
            COMPREPLY+=($(compgen -c -- "$current"))
            ;;
        *)
            line=${line%%$'\t'*}
            # No space after a modifier, or in a list of keys.
            case $line in [CMS]- | *,[CMS]-) compopt -o nospace 2>/dev/null ;; esac
            COMPREPLY+=("$line")
            ;;
        esac
    done < <("$program" complete "$COMP_CWORD" "${COMP_WORDS[@]:0:COMP_CWORD}" "$current" 2>/dev/null)
}

complete -F _ccctl ccctl
