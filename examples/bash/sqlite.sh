#!/usr/bin/env bash
# Asks sqlite3 several questions in one session, so that its table in memory is still there at the next question.
set -euo pipefail

# With the echo off, a pattern matches only what sqlite3 prints, never the question.
db=$(ccctl new --no-echo -- sqlite3 -batch :memory:)
trap 'ccctl close "$db" >/dev/null' EXIT

# sqlite3 prints the line "--" after the answer, so this waits for the whole answer, however long or empty it is.
ask() {
    ccctl send "$db" "$1"$'\n.print --' --expect '(?m)^--$' | sed '$d'
}

ask 'create table city (name text, people integer);'
ask "insert into city values ('Bern', 134794), ('Chur', 38293);"
ask 'select sum(people) from city;'
ask 'select name from city order by people;'
