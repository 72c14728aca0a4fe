// Everything that was read, and the indexes over it. A turn has items: a prompt, an answer, thinking, a call with its result,
// or a note. Items of the main conversation are the timeline; those of sub-agents belong to the call that started them.
const conversation = {
  about: { sums: Array(3).fill([[0, 0, 0, 0, 0], null, true]), models: [], notes: [] },
  masks: 0,
  turns: [], // all of them, sub-agents' turns too
  items: [], // of the timeline
  calls: new Map(), // tool_use id → item
  children: new Map(), // tool_use id → items of that sub-agent
  byId: new Map(), // message id, record uuid or "t" and number, as in an address → turn
  firstDay: '',
  unreadable: 0,
  complete: false,
};

// Takes in one turn of the data. `raw` says where its records are.
function takeIn(turn, raw) {
  Object.assign(turn, { raw, place: conversation.turns.length });
  conversation.turns.push(turn);
  conversation.firstDay ||= clockTime(turn.at, '').slice(0, 10);
  for (const id of [turn.number && `t${turn.number}`, ...turn.ids]) {
    const name = encodeURIComponent(id);
    if (id && !conversation.byId.has(name)) conversation.byId.set(name, turn);
  }
  // A conversation that was copied has a call twice.
  turn.items = turn.items.filter((item) => !item.call || !conversation.calls.has(item.call.id) || item.name === '(call missing)');
  turn.items.forEach((item, index) => {
    Object.assign(item, { turn, index, place: `${turn.place}.${index}`, open: null, height: 0, row: -1, holder: null, run: null });
    if (item.call) conversation.calls.set(item.call.id, item);
  });
  // A sub-agent without a call is a part of the timeline.
  if (turn.parent === null || turn.is_orphan) return void conversation.items.push(...turn.items);
  if (!conversation.children.has(turn.parent)) conversation.children.set(turn.parent, []);
  conversation.children.get(turn.parent).push(...turn.items);
  dropRow(conversation.calls.get(turn.parent));
}

const childrenOf = (item) => item.call ? conversation.children.get(item.call.id) ?? [] : [];

// Returns all items of the sub-agents below an item, each once, also if it is its own descendant.
function itemsBelow(item) {
  const found = new Set([item]);
  for (const one of found) for (const child of childrenOf(one)) found.add(child);
  found.delete(item);
  return [...found];
}

const isAgent = (item) => item.call && (item.name === 'Task' || item.name === 'Agent' || conversation.children.has(item.call.id));
const isFailed = (item) => item.call?.state === 'error';
const isApiError = (item) => item.turn.marks.includes('API error');

// Returns what the conversation ends with; null for a page of some turns, or while it loads. What Claude Code notes or does by itself ends nothing.
function ending() {
  const { about, items, complete } = conversation;
  const isSaid = ({ kind, gist, turn }, at) => turn.parent === null && (kind === 'note' ? gist.startsWith('[Request interrupted')
    : kind !== 'thinking' && !(kind === 'prompt' && /^[/!]/.test(gist) && items[at + 1]?.name === 'Note'));
  const item = items.findLast(isSaid);
  if (!item || about.turns || !complete) return null;
  const said = { prompt: 'with an unanswered prompt', note: 'interrupted by the user', text: isApiError(item) ? 'with an API error' : 'with an answer' };
  return { item, words: `Ends ${said[item.kind] ?? (item.call.state === 'pending' ? `while ${item.name} runs` : `after ${item.name}, without an answer`)}` };
}

// Returns the rows of a timeline. Three or more calls in a row, with the thinking between them, are one, unless a call failed or
// started a sub-agent. A run keeps its identity, or a reader's place would be lost whenever turns come in.
function grouped(items) {
  const rows = [];
  for (let at = 0, end = 0; at < items.length; at = end) {
    while (end < items.length && isQuiet(items[end])) end += 1;
    const isRun = items.slice(at, end).filter((item) => item.call).length >= 3;
    if (!isRun) end = Math.max(end, at + 1);
    const inside = items.slice(at, end);
    const run = isRun ? items[at].run ??= { kind: 'run', open: null, height: 0, row: -1, items: [] } : null;
    if (run && run.items.length !== inside.length) dropRow(run);
    if (run) run.items = inside;
    for (const item of inside) item.holder = run ?? item;
    rows.push(...(run ? [run] : inside));
  }
  return rows;
}

const isQuiet = (item) => item.kind === 'thinking' || (item.kind === 'call' && item.call.state === 'ok' && !isAgent(item));

// Returns all items and runs.
const allRows = () => conversation.turns.flatMap((turn) => turn.items.flatMap((item) => item.run ? [item, item.run] : [item]));

// Returns the items from a row of the timeline down to this one, or null while one is missing.
function pathTo(item) {
  const path = [item];
  while (path[0] && path[0].turn.parent !== null && !path[0].turn.is_orphan) {
    const above = conversation.calls.get(path[0].turn.parent);
    if (path.includes(above)) return null;
    path.unshift(above);
  }
  return path[0] ? path : null;
}
