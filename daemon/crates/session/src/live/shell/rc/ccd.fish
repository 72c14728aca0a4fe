# Interactive fish under ccd, read after the user's own files: prompt marks (OSC 133).

set -g __ccd_dir $CCD_SHELL_DIR
set -e CCD_SHELL_DIR
set -e CCD_SHELL_KIND
set -g __ccd_nonce

function __ccd_preexec --on-event fish_preexec
    builtin printf '\e]133;C%s\a' $__ccd_nonce >/dev/tty
end

function __ccd_postexec --on-event fish_postexec
    builtin printf '\e]133;D;%s%s\a' $status $__ccd_nonce >/dev/tty
    set -g __ccd_nonce ''
end

# At every prompt, because a theme may define it again.
function __ccd_wrap --on-event fish_prompt
    string match -q '*133;A*' -- (functions fish_prompt); and return
    functions -e __ccd_fish_prompt
    functions -c fish_prompt __ccd_fish_prompt
    function fish_prompt
        set -l last $status
        builtin printf '\e]133;A\a'
        __ccd_status $last
        __ccd_fish_prompt
        builtin printf '\e]133;B;ccd\a'
    end
end

function __ccd_status
    return $argv[1]
end

# `session run` presses a key that makes the line editor take a command from a file, and then enter it.
function __ccd_take
    read -z -l text <"$__ccd_dir/command"
    set -l parts (string split -m 1 \n -- $text)
    set -l nonce (string replace '# ' ';' -- $parts[1])
    if test -z "$nonce" -o -n "$(commandline)"
        builtin printf '\e]133;T%s;%s\a' "$nonce" typed >/dev/tty
        return
    end
    set -g __ccd_nonce $nonce
    builtin printf '\e]133;T%s\a' $nonce >/dev/tty
    set -l command (string trim -r -c \n -- $parts[2] | string collect)
    commandline -r -- $command
    if commandline --is-valid
        commandline -f execute
    else
        # fish would leave such a command in its line. Another one reports what is wrong, and runs nothing.
        builtin printf '%s\n\e]133;C%s\a' $command $nonce >/dev/tty
        set -l fish (status fish-path)
        builtin printf %s $command | command $fish --no-execute >/dev/tty 2>&1
        builtin printf '\e]133;D;%s%s\a' $status $nonce >/dev/tty
        set -g __ccd_nonce ''
        commandline -r ''
        commandline -f repaint
    end
end
for mode in default insert visual
    bind -M $mode \cx\c_ __ccd_take
end
