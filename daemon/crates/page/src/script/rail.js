// The rail on the left: what was asked, what was done, what failed, which files changed.

const MAX_LISTED = 200;

function showRail() {
  const prompts = conversation.items.filter((item) => item.kind === 'prompt');
  const files = new Map();
  const failed = [];
  let agents = 0;
  for (const turn of conversation.turns) {
    for (const item of turn.items) {
      if (isFailed(item)) failed.push(item);
      if (childrenOf(item).length) agents += 1;
      if (!item.call?.changed) continue;
      const [path, added, removed] = item.call.changed;
      const sum = files.get(path) ?? [0, 0];
      files.set(path, [sum[0] + added, sum[1] + removed]);
    }
  }
  const calls = [...conversation.tools.values()].reduce((sum, calls) => sum + calls, 0);
  part('did').textContent = [plural(prompts.length, 'prompt'), plural(calls, 'call'), agents && plural(agents, 'sub-agent'), masksText()]
    .filter(Boolean).join(', ');
  section('prompts', prompts, (item) => entry(item, item.gist, ''));
  section('failures', failed, (item) => entry(item, `${nameOf(item)} ${item.gist}`, item.call?.outcome ?? ''));
  section('changes', [...files], ([path, [added, removed]]) => make('li', null, make('button', { type: 'button', title: path,
    onclick: () => { part('query').value = path; searchFor(path); } },
  make('span.gist', null, path.replace(/^.*\/(?=.{24})/, '\u2026/')), make('span.outcome', null, `+${count(added)} \u2212${count(removed)}`))));
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
  const top = topRow();
  const place = top ? (top.row.turn ?? top.row.items[0].turn).place : -1;
  const current = [...part('prompts').children].findLast((entry) => Number(entry.dataset.at) <= place);
  if (current?.getAttribute('aria-current')) return;
  part('prompts').querySelector('[aria-current]')?.removeAttribute('aria-current');
  current?.setAttribute('aria-current', 'true');
}
