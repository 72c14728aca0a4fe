// The rail on the left: what was asked, how it ended, what failed, which files changed.

const MAX_LISTED = 200;

function showRail() {
  const prompts = conversation.items.filter((item) => item.kind === 'prompt');
  const items = conversation.turns.flatMap((turn) => turn.items);
  const [failed, agents, end] = [items.filter(isFailed), items.filter(isAgent), ending()];
  part('did').textContent = listed(plural(prompts.length, 'prompt'), plural(conversation.calls.size, 'call'), failed.length && `${count(failed.length)} failed`,
    agents.length && plural(agents.length, 'sub-agent'));
  part('end').replaceChildren(end ? entry(end.item, `${end.words}: ${end.item.gist}`) : '');
  section('prompts', prompts, (item) => entry(item, item.gist));
  // A failed call has "ok later" if the same tool later succeeded on the same target.
  const nameOf = (item) => `${item.name} ${item.gist}`;
  const byTime = (one, other) => one.turn.at - other.turn.at;
  const succeeded = new Map(items.filter((item) => item.call?.state === 'ok').sort(byTime).map((item) => [nameOf(item), item.turn]));
  section('failures', failed, (item) => {
    const later = succeeded.get(nameOf(item));
    const isLater = later?.at > item.turn.at && `ok later${later.number ? ` (#${later.number})` : ''}`;
    return entry(item, nameOf(item), item.call.outcome, listed(isLater, item.call.reason));
  });
  section('api-errors', items.filter(isApiError), (item) => entry(item, item.gist));
  const changes = items.flatMap((item) => (item.call?.changed ?? []).map(([path, ...lines]) => ({ item, path, lines })));
  section('changes', [...Map.groupBy(changes, ({ path }) => path)], ([path, edits]) => {
    const all = linesText([0, 1].map((at) => sum(edits.map(({ lines }) => lines[at]))));
    if (edits.length === 1) return entry(edits[0].item, path, all);
    const title = [make('span.gist', null, breakable(path)), make('span.outcome', null, `${count(edits.length)} edits, ${all}`)];
    const listIn = (box) => box.appendChild(make('ol', null, someOf(edits, ({ item, lines }) => entry(item, item.name, linesText(lines)))));
    return make('li', { title: path }, fold('details', title, listIn));
  });
}

const listed = (...parts) => parts.filter(Boolean).join(', ');
const breakable = (path) => path.split(/(?<=\/)/).flatMap((part) => [part, make('wbr')]);
const linesText = ([added, removed]) => `+${count(added)} \u2212${count(removed)}`;

function section(name, list, makeEntry) {
  part(name).parentElement.hidden = list.length === 0;
  part(`${name}-count`).textContent = count(list.length);
  part(name).replaceChildren(...someOf(list, makeEntry));
}

const someOf = (list, makeEntry) =>
  [...list.slice(0, MAX_LISTED).map(makeEntry), list.length > MAX_LISTED ? make('li.note', null, `and ${count(list.length - MAX_LISTED)} more`) : ''];

function entry(item, gist, outcome, why) {
  const link = make('a', { href: `#${addressOf(item)}`, title: gist, onclick: () => document.body.classList.remove('railed') },
    make('span.number', null, item.turn.number ?? ''), make('span.gist', null, breakable(gist)), outcome && make('span.outcome', null, outcome), why && make('span.why', null, why));
  return make('li', { 'data-at': item.turn.place }, link);
}

// Marks the prompt that the reader is at: that of the selected row while it is in view, else of the first visible one.
function showWhere() {
  const { scrollTop: view, clientHeight: room } = list.scroller;
  const top = list.selected?.row >= 0 ? topOf(list.selected.row) : -1;
  const row = top > view - 1 && top < view + room ? list.selected : topRow()?.row;
  const place = row ? (row.turn ?? row.items[0].turn).place : -1;
  const current = [...part('prompts').children].findLast((entry) => Number(entry.dataset.at) <= place);
  if (current?.ariaCurrent) return;
  for (const entry of part('prompts').children) entry.ariaCurrent = entry === current ? 'true' : null;
}
