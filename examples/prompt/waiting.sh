#!/bin/sh
# Prints how many sessions wait for input, such as "2 wait", and nothing if none does.
#
#   ~/.bashrc       PS1='$(waiting.sh)'$PS1
#   ~/.tmux.conf    set -g status-right '#(waiting.sh)'
#
# For coding agents that need you, use ccctl agents count instead.
ccctl --no-start ls 2>/dev/null | awk '$4 == "yes" || $4 == "hidden" { n++ } END { if (n) printf "%d wait ", n }'
