#!/usr/bin/env python3
"""Asks sqlite3 questions; an answer may also be an error, or the end of the program."""

import pexpect

child = pexpect.spawn("sqlite3 -batch", encoding="utf-8", timeout=10, echo=False)


def ask(line):
    child.sendline(line)
    answer = child.expect([r"(\d+)\r\n", r"(no such column: \w+)", pexpect.EOF])
    return child.match.group(1) if answer < 2 else "sqlite3 has exited"


print(ask("select 6 * 7;"))
print(ask("select answer;"))
print(ask("select 1 << 40;"))
print(ask(".quit"))
print("status", child.wait())
