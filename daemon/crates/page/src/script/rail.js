// The rail on the left: what was asked, what was done, what failed, which files changed.

const MAX_LISTED = 200;

function showRail() {
  const prompts = conversation.items.filter((item) => item.kind === 'prompt');
  const items = conversation.turns.flatMap((turn) => turn.items);
  const files = Map.groupBy(items.filter((item) => item.call?.changed), (item) => item.call.changed[0]);
  const agents = items.filter((item) => childrenOf(item).length).length;
  part('did').textContent = [plural(prompts.length, 'prompt'), plural(conversation.calls.size, 'call'), agents && plural(agents, 'sub-agent'), masksText()]
    .filter(Boolean).join(', ');
  section('prompts', prompts, (item) => entry(item, item.gist, ''));
  section('failures', items.filter(isFailed), (item) => entry(item, `${item.name} ${item.gist}`, item.call?.outcome ?? ''));
  section('changes', [...files], ([path, changes]) => {
    const [added, removed] = [1, 2].map((at) => changes.reduce((sum, { call }) => sum + call.changed[at], 0));
    return make('li', null, make('button', { type: 'button', title: path, onclick: () => { part('query').value = path; searchFor(path); } },
      make('span.gist', null, path.replace(/^.*\/(?=.{16})/, '\u2026/')), make('span.outcome', null, `+${count(added)} \u2212${count(removed)}`)));
  });
}

function section(name, list, makeEntry) {
  part(name).parentElement.hidden = list.length === 0;
  part(`${name}-count`).textContent = count(list.length);
  const left = list.length - MAX_LISTED;
  part(name).replaceChildren(...list.slice(0, MAX_LISTED).map(makeEntry), left > 0 ? make('li.note', null, `and ${count(left)} more`) : '');
}

function entry(item, gist, outcome) {
  const link = make('a', { href: `#${addressOf(item.turn)}`, title: gist, onclick: () => document.body.classList.remove('railed') },
    make('span.number', null, item.turn.number ?? ''), make('span.gist', null, gist), make('span.outcome', null, outcome));
  return make('li', { 'data-at': item.turn.place }, link);
}

// Marks the prompt that the first visible row follows.
function showWhere() {
  const row = topRow()?.row;
  const place = row ? (row.turn ?? row.items[0].turn).place : -1;
  const current = [...part('prompts').children].findLast((entry) => Number(entry.dataset.at) <= place);
  if (current?.ariaCurrent) return;
  for (const entry of part('prompts').children) entry.ariaCurrent = entry === current ? 'true' : null;
}
