#!/usr/bin/env python3
"""Drives bc over ccd's socket with the standard library alone: JSON-RPC 2.0, one message per line."""

import collections
import itertools
import json
import socket
import subprocess


class Daemon:
    def __init__(self):
        # Starts the daemon if none is running; the reply has the path of its socket.
        started = subprocess.run(["ccctl", "--json", "daemon", "start"], stdout=subprocess.PIPE, check=True)
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(json.loads(started.stdout)["socket"])
        self.lines = connection.makefile("rw", encoding="utf-8")
        self.ids = itertools.count(1)
        self.items = collections.deque()

    def call(self, method, **params):
        request = {"jsonrpc": "2.0", "id": next(self.ids), "method": method, "params": params}
        print(json.dumps(request), file=self.lines, flush=True)
        # Items of a subscription may arrive before the reply.
        while (message := json.loads(self.lines.readline())).get("id") != request["id"]:
            self.items.append(message["params"]["result"])
        if "error" in message:
            raise RuntimeError(message["error"]["message"])
        return message["result"]

    def next_item(self):
        if self.items:
            return self.items.popleft()
        return json.loads(self.lines.readline())["params"]["result"]


daemon = Daemon()
# A transient session ends when this connection closes, even if the script crashes.
bc = daemon.call("session.create", program="bc", args=["-q"], transient=True)["session_id"]
daemon.call("session.wait", session=bc, **{"for": "input"})

# One request types a line and waits for the answer.
answer = {"patterns": [{"regex": r"(?m)^(\d+)\n"}]}
sent = daemon.call("session.send", session=bc, text="6 * 7", newline=True, expect=answer)
print("answer:", sent["expect"]["groups"][1])

screen = daemon.call("session.screen", session=bc)
print("screen:", screen["lines"][: screen["cursor"]["row"]])

# The output after that answer, as it arrives; the last item says how the session ended.
daemon.call("session.subscribe", session=bc, since=sent["expect"]["end"], text=True)
daemon.call("session.send", session=bc, text="2 ^ 64", newline=True, expect=answer)
daemon.call("session.close", session=bc)
output = ""
while "ended" not in (item := daemon.next_item()):
    output += item.get("text", "")
print("output:", output.split())
print("ended:", item["ended"]["end_reason"])
