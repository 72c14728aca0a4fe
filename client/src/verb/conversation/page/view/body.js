// The open part of a turn: its blocks in order, then usage, metadata and the raw records.

function bodyOf(turn, above) {
  const body = make('div.body');
  const shown = new Set();
  for (const block of turn.blocks) {
    // One block that cannot be shown must not take the others with it.
    try {
      put(body, blockView(turn, block, above, shown));
    } catch (error) {
      put(body, note(`This block cannot be shown: ${error.message}`));
    }
  }
  if (!turn.blocks.length) put(body, note('This turn has no content.'));
  return put(body, footOf(turn));
}

function blockView(turn, block, above, shown) {
  if (isCallBlock(block)) return callOnce(conversation.calls.get(block.callId), turn, above, shown);
  if (isResultBlock(block)) {
    const result = turn.results.find((other) => other.block === block);
    return callOnce(result.call, turn, above, shown);
  }
  switch (block.type) {
    case 'text': return asText(block.text).trim() === '' ? null : longMarkdown(asText(block.text));
    case 'thinking': return thinkingView(asText(block.thinking));
    case 'redacted_thinking': return note('Thinking that the API returned encrypted.');
    case 'image': return imageOf(block);
    case 'document': return documentOf(block);
    default: return [note(`Block of the type ${asText(block.type) || '(none)'}`), clippedText(prettyJson(block))];
  }
}

function thinkingView(text) {
  if (text.trim() === '') return note('Thinking without text.');
  return make('div.thinking', null, fold(`Thinking, ${plural(lineCount(text), 'line')}`, () => longMarkdown(text), true));
}

// Returns a call with its result together; a turn that has both shows them once.
function callOnce(call, turn, above, shown) {
  if (!call || shown.has(call)) return null;
  shown.add(call);
  return callCard(call, turn, above);
}

function callCard(call, turn, above) {
  const tool = toolOf(call);
  const state = stateOf(call);
  const card = make('section.call', { 'data-state': state, 'aria-label': `Call of ${call.name || 'an unknown tool'}` },
    make('div.title', null, chipOf(call, false)));
  const inner = make('div.inner');
  if (call.turn === null) put(inner, note('The call of this result is not in the data.'));
  if (call.results > 1) put(inner, note(`${call.results} results came for this call; the last one is shown.`));
  try {
    put(inner, call.turn === null ? plainResult(call) : tool.show(call));
  } catch {
    // Fields of other types than this tool has: the values as they are.
    put(inner, OTHER.show(call));
  }
  // At the call the timeline is open; beside the result it would be there a second time.
  put(inner, nestedTimeline(call, [...above, turn], call.turn === turn));
  return put(card, inner);
}

function footOf(turn) {
  const usage = usageOf(turn);
  return make('div.foot', null,
    usage ? usageLine(usage, turn.raw.cost_usd) : null,
    fold('Metadata', () => metadataOf(turn)),
    fold(turn.records.length > 1 ? `Raw JSON, ${turn.records.length} records` : 'Raw JSON', () => rawOf(turn)));
}

function rawOf(turn) {
  if (!turn.records.length) return clippedText(prettyJson(turn.raw));
  return turn.records.map((record) => clippedText(prettyJson(record)));
}

function metadataOf(turn) {
  const first = asObject(turn.records[0]);
  const messages = turn.records.map((record) => asObject(record.message));
  const of = (...names) => names.map((name) => first[name]).find((value) => value !== undefined && value !== null);
  const link = turn.id ? make('a', { href: `#${encodeURIComponent(turn.id)}` }, turn.id) : null;
  return facts([
    [turn.role === 'assistant' ? 'message id' : 'id', link],
    ['record', turn.records.map((record) => asText(record.uuid)).filter(Boolean).join('\n')],
    ['role', turn.role], ['model', turn.model], ['session', asText(turn.raw.sessionId ?? of('sessionId', 'session_id'))],
    ['stop reason', asText(messages.findLast((message) => message.stop_reason)?.stop_reason)],
    ['stop sequence', asText(messages.findLast((message) => message.stop_sequence)?.stop_sequence)],
    ['started by call', turn.parent], ['parent record', asText(of('parentUuid'))],
    ['agent', asText(of('agentId', 'agent_id'))], ['request', asText(of('requestId', 'request_id'))],
    ['time', asText(turn.raw.at ?? of('timestamp'))], ['folder', asText(of('cwd'))], ['branch', asText(of('gitBranch'))],
    ['Claude Code', asText(of('version'))], ['permission mode', asText(of('permissionMode'))],
    ['context management', asText(messages.findLast((message) => message.context_management)?.context_management)],
  ]);
}

function usageLine(usage, cost) {
  const sum = addUsage(emptyUsage(), usage);
  const rate = hitRate(sum);
  return facts([
    ['input', count(sum.input)], ['output', count(sum.output)],
    ['cache write 5 min', count(sum.write5m)], ['cache write 1 h', count(sum.write1h)], ['cache read', count(sum.read)],
    ['cache hits', rate === null ? null : `${(rate * 100).toFixed(1)} %`],
    ['tier', [...sum.tiers].join(', ')],
    ['cost', typeof cost === 'number' ? dollars(cost) : 'no price known'],
  ]);
}
