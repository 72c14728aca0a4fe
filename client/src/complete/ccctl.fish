# Completion of ccctl for fish; `ccctl completions fish` prints it.

function __ccctl_complete
    set -l words (commandline --cut-at-cursor --tokenize --current-process)
    set -l current (commandline --cut-at-cursor --current-token)
    # ccctl complete expects the value of --option=value as a separate word.
    set -l option ""
    if string match --quiet --regex '^--[^=]+=' -- $current
        set option (string replace --regex '=.*' '=' -- $current)
        set -a words (string trim --right --chars '=' -- $option)
        set current (string replace --regex '^[^=]*=' '' -- $current)
    end
    set -l program (string replace --regex '^~/' "$HOME/" -- $words[1])
    command --query -- $program; or set program ccctl
    for line in (command $program complete (count $words) $words $current 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path $current
            case :folders
                __fish_complete_directories $current
            case :programs
                complete --do-complete "$current"
            case '*'
                echo $line
        end
    end | string replace --regex '^' -- $option
end

complete --command ccctl --no-files --keep-order --arguments '(__ccctl_complete)'
