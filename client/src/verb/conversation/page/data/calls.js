// A call of a tool and its result, joined by the tool_use id in whatever order they come:
// {id, name, input, turn, result, results}; `turn` is null while only a result is known.

function callFor(id) {
  let call = conversation.calls.get(id);
  if (!call) {
    call = { id, name: '', input: {}, turn: null, result: null, results: 0 };
    conversation.calls.set(id, call);
  }
  return call;
}

// Files the calls of a turn. The same call written again (a copied or resumed session) is the
// same call and keeps the result that it has.
function joinCalls(turn) {
  for (const block of turn.blocks) {
    if (!isCallBlock(block)) continue;
    const id = typeof block.id === 'string' ? block.id : `(no id ${turn.place}.${turn.calls.length})`;
    const call = callFor(id);
    if (call.turn === null) {
      call.turn = turn;
      call.name = asText(block.name) || '(no name)';
      call.input = block.input ?? {};
      increase(conversation.tools, call.name);
      if (call.result) call.result.turn.version += 1;
    }
    block.callId = id;
    if (!turn.calls.includes(call)) turn.calls.push(call);
  }
}

// Joins the results of a turn to their calls; of several results for one call the last one counts.
function joinResults(turn) {
  for (const result of turn.results) {
    const id = typeof result.block.tool_use_id === 'string' ? result.block.tool_use_id : `(no id ${turn.place})`;
    const call = callFor(id);
    result.call = call;
    call.result = result;
    call.results += 1;
    if (call.turn && call.turn !== turn) call.turn.version += 1;
  }
}

// Returns the parts of a result's content: {type: 'text', text}, images, and others as they are.
function resultParts(result) {
  const content = result.block.content;
  const parts = isObject(content) || typeof content === 'string' ? [content] : asList(content);
  return parts.map((item) => (typeof item === 'string' ? { type: 'text', text: item } : asObject(item)))
    .map((item) => (item.type === 'text' ? { ...item, text: printed(asText(item.text)) } : item));
}

// Returns the text of a result's content, its parts on lines of their own.
function resultText(result) {
  return resultParts(result).filter((item) => item.type === 'text').map((item) => asText(item.text)).join('\n');
}

// Returns the details that Claude Code keeps beside a result, {} when there are none.
function metaOf(call) {
  return asObject(call.result?.meta);
}

// Returns the models, tools and calls that a turn is about: its own, and for results those of
// the turn that made the call. So a filter shows a call and its result together.
function modelsOf(turn) {
  return [turn.model, ...turn.results.map((result) => result.call.turn?.model ?? '')].filter(Boolean);
}

function toolsOf(turn) {
  return [...turn.calls, ...turn.results.map((result) => result.call)].map((call) => call.name);
}
