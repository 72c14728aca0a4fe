// Sends text to a session of ccd, and shows its screen beside the editor. examples/README.md says how to install it.
"use strict";

const vscode = require("vscode");
const { Client } = require("./ccd.js");

const SCHEME = "ccd";

let client; // a promise, while the daemon can be reached
let session;
let subscription;
const changed = new vscode.EventEmitter();

function connect() {
  client ??= Client.connect().then((connected) => {
    connected.onItem = () => changed.fire(uriOf(session));
    connected.onClose = () => (client = session = undefined); // the next command connects again
    return connected;
  });
  client.catch(() => (client = undefined));
  return client;
}

const uriOf = (name) => vscode.Uri.from({ scheme: SCHEME, path: name });

/** Asks for a session; from then on its screen is kept up to date. */
async function choose() {
  const ccd = await connect();
  const { sessions } = await ccd.call("session.list");
  const chosen = await vscode.window.showQuickPick(sessions.map(({ name, session_id }) => name ?? session_id));
  if (!chosen || chosen === session) return chosen;
  if (session) await ccd.call("session.unsubscribe", [subscription]);
  session = chosen;
  subscription = await ccd.call("session.subscribe", { session });
  return chosen;
}

async function showScreen() {
  if (!(await choose())) return;
  const document = await vscode.workspace.openTextDocument(uriOf(session));
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
}

async function send() {
  const { document, selection } = vscode.window.activeTextEditor;
  const text = selection.isEmpty ? document.lineAt(selection.active.line).text : document.getText(selection);
  if (!session && !(await choose())) return;
  await (await connect()).call("session.send", { session, text, newline: true });
}

const screen = {
  onDidChange: changed.event,
  async provideTextDocumentContent(uri) {
    const { lines } = await (await connect()).call("session.screen", { session: uri.path });
    return lines.join("\n");
  },
};

/** Runs a command, and shows its error. */
const reporting = (command) => () => command().catch((error) => vscode.window.showErrorMessage(`ccd: ${error.message}`));

function activate(context) {
  context.subscriptions.push(
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, screen),
    vscode.commands.registerCommand("ccd.screen", reporting(showScreen)),
    vscode.commands.registerCommand("ccd.send", reporting(send)),
  );
}

async function deactivate() {
  (await client)?.close();
}

module.exports = { activate, deactivate };
