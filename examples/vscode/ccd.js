// A client of ccd's socket: JSON-RPC 2.0, one message per line. Needs only Node.js.
"use strict";

const { execFile } = require("node:child_process");
const { once } = require("node:events");
const net = require("node:net");
const { promisify } = require("node:util");

class Client {
  #socket;
  #calls = new Map();
  #lastId = 0;
  onItem = () => {}; // of a subscription
  onClose = () => {};

  static async connect() {
    // Starts the daemon if none is running; the reply has the path of its socket.
    const started = await promisify(execFile)("ccctl", ["--json", "daemon", "start"]);
    const socket = net.connect(JSON.parse(started.stdout).socket);
    await once(socket, "connect");
    return new Client(socket);
  }

  constructor(socket) {
    this.#socket = socket;
    socket.on("error", () => {}); // "close" follows
    socket.on("close", () => {
      this.#calls.forEach(({ reject }) => reject(new Error("the daemon closed the connection")));
      this.onClose();
    });
    let rest = "";
    socket.setEncoding("utf8").on("data", (text) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop();
      lines.forEach((line) => this.#receive(JSON.parse(line)));
    });
  }

  call(method, params = {}) {
    const id = ++this.#lastId;
    this.#socket.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n");
    return new Promise((resolve, reject) => this.#calls.set(id, { resolve, reject }));
  }

  close() {
    this.#socket.destroy();
  }

  #receive({ id, result, error, params }) {
    if (params) return this.onItem(params.result);
    const { resolve, reject } = this.#calls.get(id);
    this.#calls.delete(id);
    error ? reject(new Error(error.message)) : resolve(result);
  }
}

module.exports = { Client };
