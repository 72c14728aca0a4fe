#!/usr/bin/env node
// Drives bc with HTTP on ccd's socket. Needs only Node.js. Over HTTP there are no subscriptions: see websocket.js.
"use strict";

const { execFileSync } = require("node:child_process");
const http = require("node:http");

// Starts the daemon if none is running; the reply has the path of its socket.
const socketPath = JSON.parse(execFileSync("ccctl", ["--json", "daemon", "start"])).socket;

function call(method, params) {
  const headers = { "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const request = http.request({ socketPath, method: "POST", headers }, async (response) => {
      let text = "";
      for await (const chunk of response.setEncoding("utf8")) text += chunk;
      const { result, error } = JSON.parse(text);
      error ? reject(new Error(error.message)) : resolve(result);
    });
    request.on("error", reject);
    request.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
  });
}

async function main() {
  const { session_id: session } = await call("session.create", { program: "bc", args: ["-q"] });
  try {
    await call("session.wait", { session, for: "input" });
    const patterns = [{ regex: "(?m)^(\\d+)\\n" }];
    const sent = await call("session.send", { session, text: "6 * 7", newline: true, expect: { patterns } });
    console.log("answer:", sent.expect.groups[1]);
    const screen = await call("session.screen", { session });
    console.log("screen:", screen.lines.slice(0, screen.cursor.row));
  } finally {
    await call("session.close", { session });
  }
}

main();
