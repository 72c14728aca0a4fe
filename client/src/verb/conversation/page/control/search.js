// Search: the lower-case text anywhere in what a turn shows, in slices. A hit is a row of the
// timeline; what is found inside a sub-agent counts for the turn that started it.

const WAIT_MS = 200;
// Long texts are looked through in windows, so that one of them does not stop the page.
const WINDOW = 256 * 1024;

const search = {
  query: '', // lower case, '' when nothing is searched
  hits: new Map(), // turn, also one of a sub-agent → {where, before, match, after}
  rows: [], // turns of the timeline with a hit, in order
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

// Starts a search over the turns that the filters show, and goes to the first hit from the
// selected or the first visible row on.
function searchFor(text, keepPlace = false) {
  clearTimeout(search.timer);
  search.run += 1;
  Object.assign(search, { query: text.toLowerCase(), hits: new Map(), rows: [], current: -1, done: text === '' });
  showHitCount();
  redrawRows();
  if (text === '') return;
  const run = search.run;
  const from = list.selected && list.selected.row >= 0 ? list.selected.row : topRow()?.turn.row ?? 0;
  inSlices(searchRows(list.items, search.query), (done) => {
    if (run !== search.run) return false;
    search.done = done;
    if (search.current < 0 && !keepPlace) goFrom(from, done);
    showHitCount();
    if (done) redrawRows();
    return true;
  });
}

function goFrom(row, done) {
  let index = search.rows.findIndex((turn) => turn.row >= row);
  if (index < 0 && done && search.rows.length) index = 0;
  if (index >= 0) showHit(index);
}

function gotoHit(step) {
  if (!search.rows.length) return;
  const length = search.rows.length;
  showHit(search.current < 0 ? 0 : (search.current + step + length) % length);
}

// Selects a hit. Only an open row is scrolled to the words themselves; a closed one shows them in
// its line.
function showHit(index) {
  search.current = index;
  const turn = search.rows[index];
  select(turn, false);
  showHitCount();
  if (!isOpen(turn)) return;
  const mark = list.shown.get(turn)?.querySelector('.body mark');
  if (mark) mark.scrollIntoView({ block: 'center' });
}

function showHitCount() {
  const total = `${count(search.rows.length)}${search.done ? '' : '+'}`;
  const place = search.current >= 0 ? `${count(search.current + 1)} of ${total}` : search.done && !search.rows.length ? 'no hits' : `${total} hits`;
  part('hits').textContent = search.query === '' ? '' : place;
  for (const name of ['next', 'previous']) part(name).disabled = search.rows.length === 0;
}

// Looks through rows and what their sub-agents did; yields between pieces of work.
function* searchRows(rows, query) {
  for (const turn of rows) {
    let hit = yield* hitIn(turn, query);
    if (hit) search.hits.set(turn, hit);
    for (const [inner] of turnsBelow(turn)) {
      const innerHit = yield* hitIn(inner, query);
      if (!innerHit) continue;
      search.hits.set(inner, innerHit);
      if (!hit) {
        hit = { ...innerHit, where: `sub-agent, ${innerHit.where}` };
        search.hits.set(turn, hit);
      }
    }
    if (hit) search.rows.push(turn);
    yield;
  }
}

function* hitIn(turn, query) {
  for (const [where, text] of searchable(turn)) {
    for (let start = 0; start < text.length; start += WINDOW) {
      // The windows overlap by the length of the query, so no hit is cut in two.
      const piece = text.length <= WINDOW ? text : text.slice(start, start + WINDOW + query.length);
      const index = indexOfLower(piece, query);
      if (index >= 0) return hitAt(where, piece, index, query.length);
      if (text.length > WINDOW) yield;
    }
  }
  return null;
}

function indexOfLower(text, query) {
  return text.toLowerCase().indexOf(query);
}

function hitAt(where, text, index, length) {
  const line = (piece) => piece.replace(/\s+/g, ' ');
  const start = Math.max(0, index - 40);
  return {
    where,
    before: (start > 0 ? '\u2026' : '') + line(text.slice(start, index)),
    match: line(text.slice(index, index + length)),
    after: line(text.slice(index + length, index + length + 120)),
  };
}
