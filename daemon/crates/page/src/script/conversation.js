// Everything that was read, and the indexes over it. A turn has items: a prompt, an answer, thinking, a call with its result,
// or a note. Items of the main conversation are the timeline; those of sub-agents belong to the call that started them.
const conversation = {
  about: { usage: [[0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]] },
  masks: 0,
  turns: [], // all of them, sub-agents' turns too
  items: [], // of the timeline
  calls: new Map(), // tool_use id → item
  children: new Map(), // tool_use id → items of that sub-agent
  byId: new Map(), // message id, record uuid or "t" and number → turn
  models: new Map(), // model → number of turns
  tools: new Map(), // tool name → number of calls
  firstDay: '',
  unreadable: 0,
  complete: false,
};

// Takes in one turn of the data. `raw` is the element with its records, `place` their position there.
function takeIn(turn, raw) {
  Object.assign(turn, { raw, place: conversation.turns.length });
  conversation.turns.push(turn);
  conversation.firstDay ||= dayOf(turn.at);
  for (const id of [turn.number && `t${turn.number}`, ...turn.ids]) {
    if (id && !conversation.byId.has(id)) conversation.byId.set(id, turn);
  }
  if (turn.model && turn.items.length) increase(conversation.models, turn.model);
  // A conversation that was copied has a call twice.
  turn.items = turn.items.filter((item) => !item.call || !conversation.calls.has(item.call.id) || item.call.name === '(call missing)');
  turn.items.forEach((item, index) => {
    Object.assign(item, { turn, place: `${turn.place}.${index}`, open: null, height: 0, row: -1, version: 0, holder: null });
    if (!item.call) return;
    conversation.calls.set(item.call.id, item);
    increase(conversation.tools, item.call.name);
  });
  if (turn.parent === null) return void conversation.items.push(...turn.items);
  const siblings = conversation.children.get(turn.parent) ?? [];
  siblings.push(...turn.items);
  conversation.children.set(turn.parent, siblings);
  const starter = conversation.calls.get(turn.parent);
  if (starter) starter.version += 1;
}

function increase(counts, name) {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

// Ends the reading. Sub-agents that no row leads to, because their call is missing or in a circle, become rows of their own.
function completeConversation() {
  conversation.complete = true;
  const seen = new Set(conversation.items);
  for (const item of conversation.items) for (const inner of itemsBelow(item)) seen.add(inner);
  for (const turn of conversation.turns) {
    for (const item of turn.items) {
      if (seen.has(item)) continue;
      turn.isOrphan = true;
      conversation.items.push(item);
      for (const inner of [item, ...itemsBelow(item)]) seen.add(inner);
    }
  }
  const place = (item) => (item.turn.isOrphan ? 1e9 : 0) + item.turn.place;
  conversation.items.sort((one, other) => place(one) - place(other));
}

function childrenOf(item) {
  return item.call ? conversation.children.get(item.call.id) ?? [] : [];
}

// Returns all items of the sub-agents below an item, each once, so a parent that is its own descendant ends the walk.
function itemsBelow(item) {
  const found = new Set();
  const waiting = [item];
  while (waiting.length) {
    for (const child of childrenOf(waiting.pop())) {
      if (child === item || found.has(child)) continue;
      found.add(child);
      waiting.push(child);
    }
  }
  return found;
}

// Returns the records of a turn.
function recordsOf(turn) {
  try {
    return JSON.parse(turn.raw.element.textContent)[turn.raw.index];
  } catch {
    return [];
  }
}

function isAgent(item) {
  return item.call !== undefined && (item.call.name === 'Task' || item.call.name === 'Agent' || conversation.children.has(item.call.id));
}

function isFailed(item) {
  return item.call?.state === 'error' || item.turn.marks.includes('API error');
}

// Returns the rows of a timeline. Three or more calls in a row, with the thinking between them, are one, unless a call failed or
// started a sub-agent. A run keeps its identity, or a reader's place would be lost whenever turns come in.
const runs = new Map(); // first item → run

function grouped(items) {
  const rows = [];
  for (let at = 0; at < items.length;) {
    let end = at;
    while (end < items.length && isQuiet(items[end])) end += 1;
    const inside = items.slice(at, end);
    if (inside.filter((item) => item.call).length >= 3) {
      const run = runs.get(items[at]) ?? { kind: 'run', open: null, height: 0, row: -1, version: 0 };
      if (run.items?.length !== inside.length) Object.assign(run, { items: inside, version: run.version + 1 });
      runs.set(items[at], run);
      for (const item of inside) item.holder = run;
      rows.push(run);
    } else {
      end = Math.max(end, at + 1);
      for (const item of items.slice(at, end)) item.holder = item;
      rows.push(...items.slice(at, end));
    }
    at = end;
  }
  return rows;
}

function isQuiet(item) {
  return item.kind === 'thinking' || (item.kind === 'call' && item.call.state === 'ok' && !isAgent(item));
}
