#!/bin/sh
# Installs ccd and ccctl, which are beside this script, below ~/.local. Starts nothing and needs no root.
#
#   ./install.sh                 also upgrades an earlier installation
#   ./install.sh --prefix DIR    below DIR instead of ~/.local
#   ./install.sh --force         overwrites files that install.sh did not write, or that were changed since
#
# What it has written is listed in share/ccd/installed, for uninstall.sh.
set -eu
umask 022

main() {
    prefix=
    force=
    while [ $# -gt 0 ]; do
        case $1 in
        --prefix) [ $# -ge 2 ] || fail '--prefix needs a directory' && prefix=$2 && shift ;;
        --prefix=*) prefix=${1#*=} ;;
        --force) force=yes ;;
        *) fail "unknown option $1; see the head of install.sh" ;;
        esac
        shift
    done
    choose_places
    cd -- "$(dirname -- "$0")"
    files=$(find bin share uninstall.sh -type f | sort)
    refuse_foreign_files

    list=$(mktemp)
    trap 'rm -f "$list"' EXIT
    [ ! -f "$installed" ] || grep '^directory  ' "$installed" >"$list" || true
    for file in $files; do
        put "$file"
    done
    remove_old_files
    mv -- "$list" "$installed"
    chmod 644 "$installed"
    say_what_is_next
}

fail() {
    printf 'install.sh: %s\n' "$1" >&2
    exit 1
}

# man looks next to the programs; the others look in $XDG_DATA_HOME.
choose_places() {
    case $prefix in
    '') prefix=$HOME/.local data=${XDG_DATA_HOME:-$HOME/.local/share} ;;
    *[!A-Za-z0-9/._+@-]*) fail "--prefix $prefix: use only letters, digits and / . _ + @ -" ;;
    /*) data=$prefix/share ;;
    *) fail "--prefix $prefix: must start with /" ;;
    esac
    installed=$data/ccd/installed
}

# Where a file of this directory goes.
place() {
    case $1 in
    bin/* | share/man/*) printf '%s\n' "$prefix/$1" ;;
    share/*) printf '%s\n' "$data/${1#share/}" ;;
    *) printf '%s\n' "$data/ccd/$1" ;;
    esac
}

# The content of a file. The unit names the programs by their path.
content() {
    case $1 in
    *.service) [ "$prefix" = "$HOME/.local" ] || exec sed "s|%h/.local/bin|$prefix/bin|" "$1" ;;
    esac
    cat "$1"
}

sum() {
    sha256sum | cut -d ' ' -f 1
}

# Whether the file is as install.sh has written it.
is_ours() {
    [ ! -L "$1" ] && [ -f "$1" ] && [ -f "$installed" ] && grep -qxF -- "$(sum <"$1")  $1" "$installed"
}

refuse_foreign_files() {
    foreign=
    for file in $files; do
        at=$(place "$file")
        if { [ -e "$at" ] || [ -L "$at" ]; } && ! is_ours "$at" && ! (content "$file") | cmp -s - "$at"; then
            foreign="$foreign
  $at"
        fi
    done
    [ -z "$foreign" ] || [ -n "$force" ] ||
        fail "nothing was installed, because these files are not from install.sh, or were changed since:$foreign
To overwrite them, use --force."
}

# Writes a file under its name in one step, so that a running program is not disturbed.
put() {
    at=$(place "$1")
    make_directory "$(dirname -- "$at")"
    mode=644
    case $1 in bin/* | *.sh) mode=755 ;; esac
    (content "$1") >"$at.new"
    chmod "$mode" "$at.new"
    mv -f -- "$at.new" "$at"
    printf '%s  %s\n' "$(sum <"$at")" "$at" >>"$list"
}

make_directory() {
    if [ ! -d "$1" ]; then
        make_directory "$(dirname -- "$1")"
        mkdir -- "$1"
        printf 'directory  %s\n' "$1" >>"$list"
    fi
}

# Removes what an earlier version installed and this one has not.
remove_old_files() {
    [ -f "$installed" ] || return 0
    while read -r kind at; do
        if [ "$kind" != directory ] && is_ours "$at" && ! cut -d ' ' -f 3- "$list" | grep -qxF -- "$at"; then
            rm -- "$at"
        fi
    done <"$installed"
}

say_what_is_next() {
    cat <<END
$("$prefix/bin/ccctl" --version) is installed; nothing was started.

  programs     $prefix/bin/ccd, $prefix/bin/ccctl
  man pages    $prefix/share/man/man1
  completions  $data/{bash-completion,fish,zsh}
  user units   $data/systemd/user/ccd.service, ccd.socket
  documents    $data/doc/ccd, start with docs/INSTALL.md

END
    case :$PATH: in
    *:"$prefix/bin":*) ;;
    *)
        echo "$prefix/bin is not on your PATH. Add it in ~/.profile:"
        # shellcheck disable=SC2016 # the user's shell expands it
        printf '  export PATH="%s:$PATH"\n' "$prefix/bin"
        ;;
    esac
    if "$prefix/bin/ccctl" --no-start daemon ping >/dev/null 2>&1; then
        echo 'A daemon is running. To switch it to this version, keeping its sessions:'
        echo '  ccctl daemon upgrade'
    fi
    cat <<END
To try it:
  $prefix/bin/ccctl demo
To let systemd start the daemon from login on (optional):
  systemctl --user daemon-reload && systemctl --user enable --now ccd.socket
Completions for zsh, in ~/.zshrc before compinit:
  fpath+=('$data/zsh/site-functions')
To remove it:
  $data/ccd/uninstall.sh
END
}

main "$@"
