#!/usr/bin/env bash
# Starts a server, waits until it says that it is ready, sends it a request, and prints what it logged.
set -euo pipefail

# The server takes a free port, and prints which.
server=$(ccctl new --cwd "$(dirname "$0")" -- python3 -m http.server --bind 127.0.0.1 0)
trap 'ccctl close "$server" >/dev/null' EXIT

# Fails at once if the server exits, and after 10 s if it prints no address.
url=$(ccctl expect "$server" 'http://\S+/' --timeout 10 | grep -o 'http://.*')
curl -fsS -o /dev/null "$url"

ccctl expect "$server" '"GET / .*\n' | tail -n 1
