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
  part('next').addEventListener('click', () => gotoHit(1));
  part('previous').addEventListener('click', () => gotoHit(-1));
}

function searchIsDue() {
  return part('query').value.toLowerCase() !== search.query;
}

function clearSearch() {
  part('query').value = '';
  searchFor('');
}

// Starts a search over what the filters show, and goes to the first hit from the selected or the first visible row on.
function searchFor(text, keepPlace = false) {
  clearTimeout(search.timer);
  const from = list.selected ?? topRow()?.row;
  Object.assign(search, { query: text.toLowerCase(), hits: new Map(), rows: [], current: -1, done: text === '', run: search.run + 1 });
  showHitCount();
  // While something is searched, each call is a row of its own.
  setItems(rowsThatPass());
  redrawRows();
  if (text === '') return;
  const { run } = search;
  inSlices(searchRows(list.items, search.query), (done) => {
    if (run !== search.run) return false;
    search.done = done;
    if (search.current < 0 && !keepPlace) goFrom(from ? rowOf(from).row : 0, done);
    showHitCount();
    if (done) redrawRows();
    return true;
  });
}

function goFrom(row, done) {
  const index = search.rows.findIndex((item) => item.row >= row);
  if (index >= 0 || (done && search.rows.length)) showHit(Math.max(index, 0));
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

function* searchRows(rows, query) {
  for (const item of rows) {
    let hit = hitIn(item, query);
    for (const inner of itemsBelow(item)) {
      const innerHit = hitIn(inner, query);
      if (innerHit) search.hits.set(inner, innerHit);
      hit ??= innerHit && { ...innerHit, where: `sub-agent, ${innerHit.where}` };
      yield;
    }
    if (hit) {
      search.hits.set(item, hit);
      search.rows.push(item);
    }
    yield;
  }
}

function hitIn(item, query) {
  const text = `${item.call ? `${item.call.name} ${item.gist} ${item.call.outcome}\n` : ''}${textOf(item.body)}`;
  const index = text.toLowerCase().indexOf(query);
  if (index < 0) return null;
  const [start, end] = [Math.max(0, index - 40), index + query.length];
  const line = (from, to) => text.slice(from, to).replace(/\s+/g, ' ');
  return { where: nameOf(item), before: (start > 0 ? '\u2026' : '') + line(start, index), match: line(index, end), after: line(end, end + 120) };
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
    if (!node.parentElement.closest('mark, .bar, button, .foot > dl')) found.push([node, lower]);
  }
  for (const [node, lower] of found) {
    const pieces = document.createDocumentFragment();
    let at = 0;
    for (let hit = lower.indexOf(search.query); hit >= 0; hit = lower.indexOf(search.query, at)) {
      pieces.append(node.data.slice(at, hit), make('mark', null, node.data.slice(hit, hit + search.query.length)));
      at = hit + search.query.length;
    }
    pieces.append(node.data.slice(at));
    for (let box = node.parentElement.closest('details'); box; box = box.parentElement?.closest('details')) box.open = true;
    node.replaceWith(pieces);
  }
}
