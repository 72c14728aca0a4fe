#!/usr/bin/env bash
# Answers the password prompt of a program, and exits with its status. The password is the first line of standard input:
#
#   pass show laptop | ./password.sh sudo id
set -euo pipefail
IFS= read -r password

program=$(ccctl new -- "$@")
trap 'ccctl close "$program" >/dev/null' EXIT

ccctl expect "$program" '(?i)(password|passphrase)[^\n]*: *$' >/dev/null
# Through standard input, because other users can see the arguments of a process. --secret keeps it out of the history.
printf '%s\r' "$password" | ccctl send "$program" --secret --stdin
ended=$(ccctl wait "$program" --exit) # "exited 0", for example

ccctl read "$program"
[[ $ended == exited\ * ]] || exit 1 # a signal ended it
exit "${ended#exited }"
