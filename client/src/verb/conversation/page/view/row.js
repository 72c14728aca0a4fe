// One turn in a timeline: a head of one line, and below it the body when the turn is open.

// At most so many calls are named in the head; the others are counted.
const MAX_CHIPS = 3;

// Returns the element of a turn. `above` are the turns around it when it belongs to a sub-agent.
function makeRow(turn, above = []) {
  const row = make('article.row', { 'data-role': kindOf(turn), 'data-place': turn.place, tabIndex: -1 });
  const open = isOpen(turn, above);
  const name = `${above.length ? 'Sub-agent turn' : 'Turn'} ${turn.number}`;
  row.setAttribute('aria-label', name);
  if (open) row.classList.add('open');
  const head = make('button.head', { type: 'button', 'aria-expanded': open }, headParts(turn));
  head.addEventListener('click', () => (above.length ? toggleNested(turn, row, above) : toggle(turn)));
  row.append(head);
  if (open) row.append(bodyOf(turn, above));
  markHits(row);
  return row;
}

// Returns a row of this height that says which turn is there, and no more.
function sketchRow(turn, height) {
  const row = make('article.row.sketch', { 'data-role': kindOf(turn), tabIndex: -1 },
    make('div.head', null, placeParts(turn)));
  row.style.height = `${height}px`;
  return row;
}

// "Expand all" is about the timeline: what a sub-agent did stays one line a turn until it is asked for.
function isOpen(turn, above = []) {
  return turn.open ?? (above.length === 0 && list.allOpen);
}

function toggleNested(turn, row, above) {
  turn.open = !isOpen(turn, above);
  const again = makeRow(turn, above);
  row.replaceWith(again);
  again.firstChild.focus({ preventScroll: true });
}

// Returns what kind of turn it is: 'assistant', 'user', 'result', or 'other'.
function kindOf(turn) {
  if (isResultTurn(turn)) return 'result';
  if (turn.marks.length) return 'other'; // Claude Code wrote it in the user's name
  return turn.role === 'assistant' || turn.role === 'user' ? turn.role : 'other';
}

function roleOf(turn) {
  if (kindOf(turn) !== 'other') return kindOf(turn);
  return turn.marks.length ? 'Claude Code' : gist(turn.role, 12) || 'other';
}

function placeParts(turn) {
  return [
    make('span.sign', { 'aria-hidden': 'true' }),
    make('span.number', null, String(turn.number)),
    make('time.time', { title: asText(turn.raw.at) }, clockTime(turn.at, conversation.firstDay)),
    make('span.role', null, roleOf(turn)),
  ];
}

function headParts(turn) {
  return [
    ...placeParts(turn),
    make('span.gist', null, gistParts(turn)),
    make('span.badges', null, badgesOf(turn)),
  ];
}

// Returns the line that says what a turn is about: the search hit, or its first 120 characters,
// and its calls or results.
function gistParts(turn) {
  const hit = search.hits.get(turn);
  const calls = turn.calls.length ? turn.calls : turn.results.map((result) => result.call);
  const chips = calls.slice(0, MAX_CHIPS).map((call) => chipOf(call));
  if (calls.length > MAX_CHIPS) chips.push(make('span.more-calls', null, `+${calls.length - MAX_CHIPS}`));
  const text = hit ? hitLine(hit) : previewOf(turn, calls);
  return [text ? make(hit ? 'span.preview.hit' : 'span.preview', null, text) : null,
    chips.length ? make('span.chips', null, chips) : null];
}

function hitLine(hit) {
  return [make('span.where', null, hit.where), hit.before, make('mark', null, hit.match), hit.after];
}

function previewOf(turn, calls) {
  const text = textOf(turn);
  if (text !== '') return gist(text);
  if (turn.results.length) return make('span.quiet', null, gist(resultText(turn.results[0])));
  const thinking = turn.blocks.find((block) => block.type === 'thinking' && asText(block.thinking).trim() !== '');
  if (thinking) return make('span.quiet', null, `Thinking: ${gist(asText(thinking.thinking))}`);
  if (calls.length) return null;
  const kinds = [...new Set(turn.blocks.map((block) => asText(block.type) || 'unknown'))];
  return make('span.quiet', null, kinds.length ? `(${gist(kinds.join(', '))})` : '(empty)');
}

const STATE_WORDS = new Map([['ok', 'ok'], ['error', 'error'], ['pending', 'awaiting result'], ['loading', 'loading']]);
const STATE_SIGNS = new Map([['ok', '\u2713'], ['error', '\u2717'], ['pending', '\u2026'], ['loading', '\u2026']]);

// Returns a call in short: its state, tool, target and outcome. The target is left out where the
// whole of it follows.
function chipOf(call, withTarget = true) {
  const state = stateOf(call);
  return make('span.chip', { 'data-state': state },
    make('span.state', { role: 'img', 'aria-label': STATE_WORDS.get(state) }, STATE_SIGNS.get(state)),
    make('b', null, gist(call.name || 'unknown call', 40)),
    withTarget ? make('span.target', null, targetOf(call)) : null,
    make('span.outcome', null, outcomeOf(call)));
}

function badgesOf(turn) {
  const badge = (kind, text, title) => make(`span.badge.${kind}`, { title }, text);
  return [
    hasError(turn) ? badge('error', turn.apiError ? 'API error' : 'error') : null,
    isPending(turn) ? badge('pending', 'pending', 'Awaiting result') : null,
    turn.orphan ? badge('agent', `sub-agent, call ${conversation.calls.get(turn.parent)?.turn ? 'within itself' : 'missing'}`, turn.parent) : turn.sidechain && turn.parent === null ? badge('agent', 'sub-agent') : null,
    turn.calls.some((call) => conversation.children.has(call.id)) ? badge('agent', agentLabel(turn)) : null,
    turn.marks.map((mark) => badge('plain', mark)),
    turn.model ? badge('model', gist(shortModel(turn.model), 24), turn.model) : null,
  ];
}

function agentLabel(turn) {
  const turns = turn.calls.reduce((sum, call) => sum + turnsUnder(call).length, 0);
  return `sub-agent, ${plural(turns, 'turn')}`;
}
