#!/bin/sh
# Removes what install.sh has installed. It stops the daemon, disables its service and takes Claude Code's hooks out of
# the user's settings. Files that were changed since are kept, and named.
#
#   uninstall.sh                 keeps sessions' logs, tapes, history and configuration
#   uninstall.sh --purge         removes these too
#   uninstall.sh --force         does not ask before it ends sessions
#   uninstall.sh --prefix DIR    if install.sh was used with it
set -eu

main() {
    prefix=
    force=
    purge=
    while [ $# -gt 0 ]; do
        case $1 in
        --prefix) [ $# -ge 2 ] || fail '--prefix needs a directory' && prefix=$2 && shift ;;
        --prefix=*) prefix=${1#*=} ;;
        --force) force=--force ;;
        --purge) purge=yes ;;
        *) fail "unknown option $1; see the head of uninstall.sh" ;;
        esac
        shift
    done
    find_list
    ccctl=$(sed -n 's|^[0-9a-f]*  \(/.*/bin/ccctl\)$|\1|p' "$installed")
    if [ -x "$ccctl" ]; then
        stop_daemon
        remove_hooks
    fi
    disable_service
    remove_files
    if [ -n "$purge" ]; then
        purge
    else
        say_what_is_left
    fi
}

fail() {
    printf 'uninstall.sh: %s\n' "$1" >&2
    exit 1
}

# Beside the installed copy of this script, or where install.sh puts it.
find_list() {
    installed=$(dirname -- "$0")/installed
    if [ -n "$prefix" ]; then
        installed=$prefix/share/ccd/installed
    elif [ ! -f "$installed" ]; then
        installed=${XDG_DATA_HOME:-$HOME/.local/share}/ccd/installed
    fi
    [ -f "$installed" ] || fail "there is no $installed; was install.sh used with --prefix?"
}

stop_daemon() {
    if "$ccctl" --no-start daemon ping >/dev/null 2>&1; then
        # At a terminal it asks if there are sessions.
        "$ccctl" --no-start daemon stop $force || fail 'nothing was removed'
    fi
}

# Hooks without ccctl would fail at each event.
remove_hooks() {
    settings=${CLAUDE_CONFIG_DIR:-$HOME/.claude}/settings.json
    if grep -qsF "$ccctl" "$settings"; then
        "$ccctl" hooks uninstall || fail 'nothing was removed'
    fi
}

disable_service() {
    unit=$(systemctl --user show --property FragmentPath --value ccd.socket 2>/dev/null) || unit=
    if [ -n "$unit" ] && grep -qF "  $unit" "$installed"; then
        systemctl --user --quiet disable --now ccd.socket ccd.service
        reload=yes
    else
        reload=
    fi
}

remove_files() {
    kept=
    directories=$(sed -n 's/^directory  //p' "$installed" | sort -r)
    while read -r kind at; do
        if [ "$kind" = directory ] || [ ! -e "$at" ]; then
            continue
        elif [ "$(sha256sum <"$at" | cut -d ' ' -f 1)" = "$kind" ]; then
            rm -- "$at"
        else
            kept="$kept
  $at"
        fi
    done <"$installed"
    rm -- "$installed"
    # Directories that have something else in them stay.
    printf '%s\n' "$directories" | while read -r at; do
        [ ! -d "$at" ] || rmdir -- "$at" 2>/dev/null || true
    done
    [ -z "$reload" ] || systemctl --user daemon-reload
    echo 'ccd and ccctl are removed.'
    [ -z "$kept" ] || echo "These files were changed after install.sh wrote them, and are kept:$kept"
}

# What ccd has stored, one path a line. docs/INSTALL.md lists what is outside.
data() {
    for at in "${CCD_HOME:-$HOME/.claude-control}" "${CCD_COACH_HOME:-$HOME/.claude-coach}" \
        "${XDG_CONFIG_HOME:-$HOME/.config}/ccd" ${XDG_RUNTIME_DIR:+"$XDG_RUNTIME_DIR/ccd"} \
        "${TMPDIR:-/tmp}/ccd-pages-$(id -u)"; do
        # What is in a directory for all may be another user's.
        find "$at" -prune -user "$(id -u)" 2>/dev/null || true
    done
}

# A daemon removes its pipes; one that was killed has left them. Another daemon of this user may have its own there.
remove_pipes() {
    for at in /tmp/claudecontrol "/tmp/claudecontrol-$(id -u)"; do
        for pipe in "$at"/*.pipe; do
            id=$(basename -- "$pipe" .pipe)
            if [ -p "$pipe" ] && [ -d "${CCD_HOME:-$HOME/.claude-control}/sessions/$id" ]; then
                rm -f -- "$pipe"
            fi
        done
        rmdir -- "$at" 2>/dev/null || true
    done
}

purge() {
    remove_pipes
    data | while read -r at; do
        case $at in
        / | "$HOME" | "$HOME/") fail "$at is not removed" ;;
        esac
        rm -rf -- "$at"
        echo "removed $at"
    done
}

say_what_is_left() {
    left=$(data)
    [ -z "$left" ] || printf 'Your data is still there; to delete it:\n%s\n' "$(printf '%s\n' "$left" | sed "s/.*/  rm -rf '&'/")"
}

main "$@"
