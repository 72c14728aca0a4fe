#!/usr/bin/env node
// Follows a session's output with a WebSocket on ccd's socket. Needs only Node.js, whose own WebSocket cannot use a Unix
// socket; with the package ws, `new WebSocket("ws+unix:" + socketPath + ":/")` replaces the class below.
"use strict";

const { execFileSync } = require("node:child_process");
const { randomBytes } = require("node:crypto");
const { once } = require("node:events");
const http = require("node:http");

const TEXT = 0x81; // the first byte of a text message in one frame

class Daemon {
  #socket;
  #received;
  #calls = new Map();
  onItem = () => {};

  static async connect() {
    // Starts the daemon if none is running; the reply has the path of its socket.
    const socketPath = JSON.parse(execFileSync("ccctl", ["--json", "daemon", "start"])).socket;
    const key = randomBytes(16).toString("base64");
    const headers = { connection: "upgrade", upgrade: "websocket", "sec-websocket-version": 13, "sec-websocket-key": key };
    const [, socket, head] = await once(http.get({ socketPath, headers }), "upgrade");
    return new Daemon(socket, head);
  }

  constructor(socket, head) {
    this.#socket = socket;
    this.#received = head;
    socket.on("data", (bytes) => this.#receive(bytes));
    socket.on("close", () => this.#calls.forEach(({ reject }) => reject(new Error("the daemon closed the connection"))));
  }

  call(method, params) {
    const id = this.#calls.size + 1;
    const message = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    // Length and mask. A mask of zeros leaves the message as it is; only clients behind proxies need a random one.
    const long = message.length > 125;
    const head = Buffer.alloc(long ? 8 : 6);
    head.writeUInt8(TEXT, 0);
    head.writeUInt8(0x80 | (long ? 126 : message.length), 1);
    if (long) head.writeUInt16BE(message.length, 2); // fails over 64 KiB
    this.#socket.write(Buffer.concat([head, message]));
    return new Promise((resolve, reject) => this.#calls.set(id, { resolve, reject }));
  }

  close() {
    this.#socket.end();
  }

  #receive(bytes) {
    this.#received = Buffer.concat([this.#received, bytes]);
    for (let frame; (frame = this.#takeFrame()); ) {
      if (frame.kind !== TEXT) continue;
      const { id, result, error, params } = JSON.parse(frame.payload);
      if (params) this.onItem(params.result);
      else if (error) this.#calls.get(id).reject(new Error(error.message));
      else this.#calls.get(id).resolve(result);
    }
  }

  /** Returns the first frame if it has arrived completely. */
  #takeFrame() {
    const bytes = this.#received;
    if (bytes.length < 2) return undefined;
    const start = { 126: 4, 127: 10 }[bytes[1]] ?? 2;
    if (bytes.length < start) return undefined;
    const length = { 4: () => bytes.readUInt16BE(2), 10: () => Number(bytes.readBigUInt64BE(2)) }[start]?.() ?? bytes[1];
    if (bytes.length < start + length) return undefined;
    this.#received = bytes.subarray(start + length);
    return { kind: bytes[0], payload: bytes.subarray(start, start + length) };
  }
}

async function main() {
  const daemon = await Daemon.connect();
  // A transient session ends when this connection closes, even if the script crashes.
  const { session_id: session } = await daemon.call("session.create", { program: "bc", args: ["-q"], transient: true });
  await daemon.call("session.wait", { session, for: "input" });

  let output = "";
  const ended = new Promise((resolve) => {
    daemon.onItem = (item) => (item.ended ? resolve(item.ended) : (output += item.text ?? ""));
  });
  await daemon.call("session.subscribe", { session, since: 0, text: true });
  const expect = { patterns: [{ regex: "(?m)^\\d+\\n" }] };
  await daemon.call("session.send", { session, text: "2 ^ 64", newline: true, expect });
  await daemon.call("session.close", { session });
  const { end_reason } = await ended;
  console.log("output:", output.trim().split(/\s+/));
  console.log("ended:", end_reason);
  daemon.close();
}

main();
