// Everything that was read, and the indexes over it. Only data/ writes to it.
const conversation = {
  about: {},
  turns: [], // all of them in file order, sub-agents' turns too
  rows: [], // those that the timeline shows: not inside a call of a sub-agent
  calls: new Map(), // tool_use id → call
  children: new Map(), // parent tool_use id → turns of that sub-agent
  byId: new Map(), // message id or record uuid → turn
  models: new Map(), // model → number of turns
  tools: new Map(), // tool name → number of calls
  firstDay: '',
  unreadableBlocks: 0,
  complete: false,
};

// Takes in one turn of the data: makes it, joins its calls and results, and files it.
function takeIn(raw) {
  const turn = makeTurn(raw, conversation.turns.length);
  conversation.turns.push(turn);
  joinCalls(turn);
  joinResults(turn);
  conversation.firstDay ||= dayOf(turn.at);
  for (const id of [turn.id, ...turn.records.map((record) => record.uuid)]) {
    if (typeof id === 'string' && id !== '' && !conversation.byId.has(id)) conversation.byId.set(id, turn);
  }
  if (turn.model) increase(conversation.models, turn.model);
  if (turn.parent === null) {
    conversation.rows.push(turn);
    turn.number = conversation.rows.length;
  } else {
    const siblings = conversation.children.get(turn.parent) ?? [];
    siblings.push(turn);
    turn.number = siblings.length;
    conversation.children.set(turn.parent, siblings);
    const starter = conversation.calls.get(turn.parent)?.turn;
    if (starter) starter.version += 1;
  }
}

function increase(counts, name) {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

// Ends the reading: sub-agents whose call is missing become rows of their own.
function completeConversation() {
  conversation.complete = true;
  const orphans = orphanTurns();
  if (orphans.length) {
    conversation.rows = conversation.rows.concat(orphans).sort((one, other) => one.place - other.place);
    conversation.rows.forEach((turn, index) => { turn.number = index + 1; });
  }
  // A call without a result counts as pending from now on only.
  for (const turn of conversation.turns) if (isPending(turn)) turn.version += 1;
}
