// One row of a timeline: a bar of one line, and below it the body when the row is open.

const STATES = { ok: ['\u2713', 'ok'], error: ['\u2717', 'failed'], pending: ['\u2026', 'awaiting result'] };

// Prompts, answers and failures are read; all else is opened by whoever wants to know. "Expand all" is about the timeline: what
// a sub-agent did stays folded until it is asked for.
function isOpen(row, above = []) {
  if (row.open !== null) return row.open;
  if (above.length === 0 && list.allOpen) return true;
  return row.kind === 'prompt' || row.kind === 'text' || isFailed(row);
}

// Returns the element of a row. `above` are the items around it when it belongs to a sub-agent or a run.
function makeRow(row, above = []) {
  const open = isOpen(row, above);
  const turn = row.turn ?? row.items[0].turn;
  const head = make('button.head', { type: 'button', 'aria-expanded': open }, row.items ? runHead(row) : headOf(row, open));
  const element = make(open ? 'article.row.open' : 'article.row', { 'data-kind': row.kind, 'data-place': row.place, tabIndex: -1,
    'aria-label': `${above.length ? 'Sub-agent: ' : ''}${row.items ? 'Calls' : row.name}${turn.number ? `, turn ${turn.number}` : ''}` },
  make('div.bar', null, head, !row.items && linkOf(row), !row.items && menuOf(row)));
  head.addEventListener('click', () => (above.length ? toggleNested(row, element, above) : toggle(row)));
  if (row.call) element.dataset.state = row.call.state;
  if (open) element.append(row.items ? nested(row.items, [...above, row], 'Calls') : bodyOf(row, above));
  if (row.foot) element.append(footOf(row));
  markHits(element);
  return element;
}

function toggleNested(row, element, above) {
  row.open = !isOpen(row, above);
  const again = makeRow(row, above);
  element.replaceWith(again);
  again.querySelector('.head').focus({ preventScroll: true });
}

function headOf(item, open) {
  const { turn, call, kind } = item;
  const hit = search.hits.get(item);
  const gist = hit && !open ? [make('span.where', null, hit.where), hit.before, make('mark', null, hit.match), hit.after] : item.gist;
  if (!call) {
    return [make('span.label', null, item.name), make('span.gist', null, !open && gist), marksOf(turn),
      (kind === 'text' || kind === 'prompt') && make('time', { title: new Date(turn.at).toLocaleString() }, clockTime(turn.at, conversation.firstDay))];
  }
  const [sign, word] = STATES[call.state];
  const inner = childrenOf(item);
  return [make('span.state', { role: 'img', 'aria-label': word }, sign), make('b', null, item.name), make(hit && !open ? 'span.gist' : 'span.gist.target', null, gist),
    inner.length && make('span.badge', null, `sub-agent, ${plural(turnCount(inner), 'turn')}`),
    marksOf(turn), make('span.outcome', null, call.state === 'pending' ? word : call.outcome), took(call.ms)];
}

const turnCount = (items) => new Set(items.map((item) => item.turn)).size;
const marksOf = (turn) => turn.marks.map((mark) => make('span.badge', null, mark));

// "12 calls: 9 Read, 2 Bash, 1 Edit", and how long they took.
function runHead({ items }) {
  const calls = items.flatMap((item) => item.call ?? []);
  const most = tally(items.filter((item) => item.call).map((item) => item.name)).map(([name, calls]) => `${calls} ${name}`);
  const files = new Set(calls.flatMap((call) => call.changed.map(([path]) => path))).size;
  const numbers = items.map((item) => item.turn.number).filter(Boolean);
  return [make('span.fold-sign', { 'aria-hidden': true }), make('b', null, plural(calls.length, 'call')),
    make('span.gist', null, `${most.slice(0, 6).join(', ')}${most.length > 6 ? ', \u2026' : ''}`),
    files && make('span.outcome', null, `${plural(files, 'file')} changed`), took(sum(calls.map((call) => call.ms ?? 0))),
    numbers.length && make('span.number', null, `#${[...new Set([numbers[0], numbers.at(-1)])].join('\u2013')}`)];
}

const took = (ms) => make('span.took', null, ms >= 1000 && duration(ms));

function bodyOf(item, above) {
  const body = build(make('div.body'), item.body);
  const inner = childrenOf(item);
  if (inner.length) {
    const place = body.querySelector(':scope > .agent') ?? body.appendChild(make('div.agent'));
    place.append(nested(inner, [...above, item], 'Turns of the sub-agent'));
    // Its first row is the prompt, and its last words are the report most often.
    const [report, bare] = [body.querySelector(':scope > .report'), (text) => text.replace(/\s+/g, '')];
    if (report && bare(report.textContent) === `Report${bare(textOf(inner.at(-1).body))}`) report.remove();
    if (inner[0].kind === 'prompt') body.querySelector(':scope > .fold')?.remove();
  } else if (isAgent(item)) {
    body.querySelector(':scope > .agent')?.append(make('div.note', null, 'The turns of this sub-agent are not in the data.'));
  }
  return body;
}

const FIRST_NESTED = 100;

// Returns the rows inside a row, the first ones at once. One that comes again inside itself is named instead of shown.
function nested(items, above, label) {
  const rows = above.at(-1).items ? items : grouped(items);
  const add = (box, from) => {
    const left = rows.length - from - FIRST_NESTED;
    box.append(...rows.slice(from, from + FIRST_NESTED).map((row) => (above.includes(row)
      ? make('div.note', null, 'Already shown above: it is its own sub-agent.') : makeRow(row, above))));
    if (left > 0) box.append(fold('details.more', plural(left, 'more row'), (more) => add(more, from + FIRST_NESTED)));
    return box;
  };
  return add(make('div.nested', { role: 'group', 'aria-label': label }), 0);
}
