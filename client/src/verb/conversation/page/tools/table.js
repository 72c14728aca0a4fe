// What the page knows about a tool:
//   target(input)  what it works on, for the collapsed row
//   outcome(call)  what came of it in a few words, once the result is there
//   show(call)     nodes for the expanded call and its result
const TOOLS = new Map([
  ['Read', READ], ['NotebookRead', READ],
  ['Grep', GREP], ['Glob', GLOB], ['LS', GLOB],
  ['Edit', EDIT], ['MultiEdit', EDIT], ['Write', EDIT], ['NotebookEdit', EDIT],
  ['Bash', BASH],
  ['Task', AGENT], ['Agent', AGENT],
  ['TodoWrite', TODO],
  ['WebFetch', WEB_FETCH],
]);

function toolOf(call) {
  return TOOLS.get(call.name) ?? OTHER;
}

// Returns what a call works on and what came of it. A field of another type than usual must not
// take the row away with it.
function targetOf(call) {
  try {
    return gist(asText(toolOf(call).target(asObject(call.input), call)), 80);
  } catch {
    return '';
  }
}

function outcomeOf(call) {
  if (!call.result) return '';
  try {
    return toolOf(call).outcome(call);
  } catch {
    return '';
  }
}

// Returns 'error', 'pending', 'loading' or 'ok'.
function stateOf(call) {
  if (call.result) return call.result.isError ? 'error' : 'ok';
  return conversation.complete ? 'pending' : 'loading';
}

// Returns the nodes of a result as it is: texts, images, and other parts as JSON.
function plainResult(call) {
  if (!call.result) return awaiting();
  const nodes = resultParts(call.result).map((item) => {
    if (item.type === 'text') return asText(item.text) === '' ? null : clippedText(asText(item.text), call.result.isError ? 'failed' : '');
    if (item.type === 'image') return imageOf(item);
    return clippedText(prettyJson(item));
  }).filter(Boolean);
  return nodes.length ? nodes : note('The result is empty.');
}

function awaiting() {
  return make('div.note.awaiting', null, conversation.complete ? 'Awaiting result' : 'Result not loaded yet');
}

function note(text) {
  return make('div.note', null, text);
}

// Returns the line that names a file above what was read or changed in it.
function fileLine(path, detail) {
  return make('div.file', null, make('span.path', null, path), detail ? make('span.detail', null, detail) : null);
}
