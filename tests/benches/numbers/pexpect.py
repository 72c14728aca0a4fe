# Measures pexpect: each line of input is a command, each line of output its figures in seconds, as JSON.
# "line DELAY ROUNDS": round trips through cat with this delaybeforesend ("none" for no pause at all).
# "prompt DELAY ROUNDS": the same through bash. "far BYTES FILE": the time to find the end of FILE's output.
import json
import os
import sys
import time

try:
    import pexpect
except ImportError:
    print("null", flush=True)
    sys.exit()

PROMPT = "ready> "
environment = dict(os.environ, PS1=PROMPT, TERM="xterm-256color")


def open_program(program, arguments, delay):
    child = pexpect.spawn(program, arguments, env=environment, dimensions=(24, 80))
    child.delaybeforesend = None if delay == "none" else float(delay)
    return child


def line(delay, rounds):
    child = open_program("cat", [], delay)
    times = []
    for _ in range(int(rounds)):
        start = time.perf_counter()
        child.send("ping\n")
        child.expect_exact("ping\r\nping\r\n")
        times.append(time.perf_counter() - start)
    child.close(force=True)
    return times


def prompt(delay, rounds):
    child = open_program("bash", ["--norc", "--noprofile", "-i"], delay)
    child.expect_exact(PROMPT)
    times = []
    for _ in range(int(rounds)):
        start = time.perf_counter()
        child.send("\r")
        child.expect_exact(PROMPT)
        times.append(time.perf_counter() - start)
    child.close(force=True)
    return times


def far(size, path):
    start = time.perf_counter()
    child = open_program("sh", ["-c", "head -c %s %s; echo READY; exec cat" % (size, path)], "none")
    child.expect("READY", timeout=None)
    elapsed = time.perf_counter() - start
    child.close(force=True)
    return [elapsed]


print("[]", flush=True)
for command in sys.stdin:
    verb, *arguments = command.split()
    print(json.dumps({"line": line, "prompt": prompt, "far": far}[verb](*arguments)), flush=True)
