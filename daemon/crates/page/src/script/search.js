// Search: the lower-case text anywhere in what an item shows, in slices. A hit is a row of the timeline; what is found inside a
// sub-agent counts for the call that started it.

const WAIT_MS = 200;
// At most so many hits are marked in one row: a search for "e" in a long output would make hundreds of thousands of elements.
const MAX_MARKS = 500;

const search = {
  query: '', // lower case, '' when nothing is searched
  hits: new Map(), // item, also one of a sub-agent → {where, before, match, after}
  rows: [], // items of the timeline with a hit, in order
  current: -1, // place in rows
  run: 0, // number of the search: an older one gives up
  done: true,
  timer: 0,
};

function startSearch() {
  const input = part('query');
  input.addEventListener('input', () => {
    clearTimeout(search.timer);
    search.timer = setTimeout(() => searchFor(input.value), WAIT_MS);
  });
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    if (searchIsDue()) searchFor(input.value);
    else gotoHit(event.shiftKey ? -1 : 1);
  });
}

const searchIsDue = () => part('query').value.toLowerCase() !== search.query;

// Starts a search over what the filters show. Goes to the first hit from the selected or the first visible row on, unless the
// reader's place is kept.
function searchFor(text, keepPlace = false) {
  clearTimeout(search.timer);
  const from = list.selected ?? topRow()?.row;
  Object.assign(search, { query: text.toLowerCase(), hits: new Map(), rows: [], current: -1, done: text === '', run: search.run + 1 });
  showHitCount();
  // While something is searched, each call is a row of its own.
  showRows(true);
  if (text !== '') searchRows(from, keepPlace);
}

async function searchRows(from, keepPlace) {
  const { run, query, hits } = search;
  const show = (done) => {
    search.done = done;
    const next = search.rows.findIndex((item) => item.row >= (from ? rowOf(from).row : 0));
    if (keepPlace) search.current = search.rows.indexOf(list.selected);
    else if (search.current < 0 && (next >= 0 || (done && search.rows.length))) showHit(Math.max(next, 0));
    showHitCount();
  };
  for (const item of list.items) {
    let hit = hitIn(item, query);
    for (const inner of itemsBelow(item)) {
      const innerHit = hitIn(inner, query);
      if (innerHit) hits.set(inner, innerHit);
      hit ??= innerHit && { ...innerHit, where: `sub-agent, ${innerHit.where}` };
      await endSlice();
    }
    if (run !== search.run) return;
    if (hit) {
      hits.set(item, hit);
      search.rows.push(item);
    }
    const isNext = await endSlice();
    if (run !== search.run) return;
    if (isNext) show(false);
  }
  show(true);
  showRows(true);
}

function gotoHit(step) {
  const { length } = search.rows;
  if (length) showHit(search.current < 0 ? 0 : (search.current + step + length) % length);
}

// Selects a hit. Only an open row is scrolled to the words themselves; a closed one shows them in its line.
function showHit(index) {
  search.current = index;
  const item = search.rows[index];
  select(item, false);
  showHitCount();
  if (isOpen(item)) list.shown.get(item)?.querySelector('.body mark')?.scrollIntoView({ block: 'center' });
}

function showHitCount() {
  const total = `${count(search.rows.length)}${search.done ? '' : '+'}`;
  const place = search.current >= 0 ? `${count(search.current + 1)} of ${total}` : search.done && !search.rows.length ? 'no hits' : `${total} hits`;
  part('hits').textContent = search.query === '' ? '' : place;
  for (const name of ['next', 'previous']) part(name).disabled = search.rows.length === 0;
}

function hitIn(item, query) {
  const text = `${item.call ? `${item.name} ${item.gist} ${item.call.outcome}\n` : ''}${textOf(item.body)}`;
  const index = text.toLowerCase().indexOf(query);
  if (index < 0) return null;
  const [start, end] = [Math.max(0, index - 40), index + query.length];
  const line = (from, to) => text.slice(from, to).replace(/\s+/g, ' ');
  return { where: item.name, before: (start > 0 ? '\u2026' : '') + line(start, index), match: line(index, end), after: line(end, end + 120) };
}

// Marks the hits of the present search in the texts below `root` and opens the folded sections that have one. The heads of rows
// mark theirs themselves.
function markHits(root) {
  if (search.query === '') return;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = walker.nextNode(); node && found.length < MAX_MARKS; node = walker.nextNode()) {
    const lower = node.data.toLowerCase();
    // Few letters change their length in lower case; their texts are left unmarked.
    if (lower.length !== node.data.length || !lower.includes(search.query)) continue;
    if (!node.parentElement.closest('mark, .bar, button, summary, .foot > dl, #rail')) found.push([node, lower]);
  }
  for (const [node, lower] of found) {
    for (let box = node.parentElement.closest('details'); box; box = box.parentElement?.closest('details')) box.open = true;
    let [rest, from] = [node, 0];
    for (let at = lower.indexOf(search.query); at >= 0; at = lower.indexOf(search.query, from)) {
      const hit = rest.splitText(at - from);
      rest = hit.splitText(search.query.length);
      rest.before(make('mark', null, hit));
      from = at + search.query.length;
    }
  }
}
