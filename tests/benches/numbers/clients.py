# Clients of the daemon and of tmux's control mode, as one would write them in Python. The first line of input is
# "ccd SOCKET PROGRAM" or "tmux - PROGRAM", and answered with [1], or [] if tmux is missing; each line after it is a
# number of round trips, answered with their times in seconds, as JSON.
import json
import os
import shutil
import socket
import subprocess
import sys
import time

PROMPT = "ready> "
PROGRAMS = {
    "cat": (["cat"], "ping\n", "ping\nping\n", b"ping\r\nping\r\n"),
    "bash": (["bash", "--norc", "--noprofile", "-i"], "\r", PROMPT, PROMPT.encode()),
}


class Ccd:
    def __init__(self, path, argv, typed, answer):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.lines = self.socket.makefile("r")
        environment = {"PS1": PROMPT, "TERM": "xterm-256color"}
        started = self.call("session.create", program=argv[0], args=argv[1:], env=environment, persist=True)
        self.session, self.typed, self.answer = started["session_id"], typed, answer
        if answer == PROMPT:
            self.call("session.expect", session=self.session, patterns=[{"exact": PROMPT}], **{"from": 0})

    def call(self, method, **params):
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self.socket.sendall((json.dumps(request) + "\n").encode())
        return json.loads(self.lines.readline())["result"]

    def round(self):
        self.call("session.send", session=self.session, text=self.typed, expect={"patterns": [{"exact": self.answer}]})


class Tmux:
    def __init__(self, argv, typed, answer):
        environment = dict(os.environ, PS1=PROMPT, TERM="xterm-256color")
        self.name = "ccd-bench-%d" % os.getpid()
        command = ["tmux", "-L", self.name, "-f", "/dev/null", "-C", "new-session", "-x", "80", "-y", "24"] + argv
        pipe = subprocess.PIPE
        self.tmux = subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environment)
        self.typed, self.answer = typed.rstrip("\r\n"), answer
        # The server must not outlive this process, however it ends.
        self.tmux.stdin.write(b"set -g exit-unattached on\n")
        self.tmux.stdin.flush()
        if answer == PROMPT.encode():
            self.wait()

    def wait(self):
        printed = b""
        while self.answer not in printed:
            line = self.tmux.stdout.readline()
            if line.startswith(b"%output "):
                text = line.rstrip(b"\r\n").split(b" ", 2)[2]
                printed += text.decode("unicode_escape").encode("latin-1") if b"\\0" in text else text

    def round(self):
        self.tmux.stdin.write(b"send-keys %s Enter\n" % self.typed.encode())
        self.tmux.stdin.flush()
        self.wait()

    def close(self):
        subprocess.run(["tmux", "-L", self.name, "kill-server"], check=False)
        folder = os.environ.get("TMUX_TMPDIR", "/tmp")
        os.unlink(os.path.join(folder, "tmux-%d" % os.getuid(), self.name))


def rounds(client, count):
    times = []
    for _ in range(count):
        start = time.perf_counter()
        client.round()
        times.append(time.perf_counter() - start)
    return times


print("[]", flush=True)
kind, path, program = sys.stdin.readline().split()
argv, typed, clean_answer, answer = PROGRAMS[program]
if kind == "tmux" and not shutil.which("tmux"):
    print("[]", flush=True)
    sys.exit()
client = Tmux(argv, typed, answer) if kind == "tmux" else Ccd(path, argv, typed, clean_answer)
print("[1]", flush=True)
try:
    for line in sys.stdin:
        print(json.dumps(rounds(client, int(line))), flush=True)
finally:
    if kind == "tmux":
        client.close()
