// The timeline: only rows near the visible part are in the page, whatever the number of turns.

// Rows are made this many pixels before they come into view. While a reader drags the scrollbar,
// they would be gone before they are read: until it rests, rows are sketched, without their texts.
const AHEAD = 400;
const REST_MS = 90;
// In place of the version of a row that is only sketched.
const SKETCH = -1;

const list = {
  items: [], // turns that the filters let through
  heights: new Heights([]),
  shown: new Map(), // turn → its row in the page
  versions: new Map(), // turn → version of that row
  selected: null,
  allOpen: false,
  closedHeight: 32, // of a closed row and, on average, of an open one: guesses until measured
  openHeight: 320,
  ahead: AHEAD,
  drawnTop: 0,
  rest: 0, // timer; 0 while nothing was scrolled far just now
  sketching: false,
  scroller: null,
  space: null,
  window: null,
  resizes: null,
};

function startList() {
  list.scroller = part('scroller');
  list.space = part('space');
  list.window = part('window');
  list.resizes = new ResizeObserver(drawResized);
  list.scroller.addEventListener('scroll', drawScrolled, { passive: true });
  let width = list.scroller.clientWidth;
  new ResizeObserver(() => {
    // Another width breaks lines elsewhere: what was measured holds no more.
    if (list.scroller.clientWidth !== width) forgetHeights();
    width = list.scroller.clientWidth;
    drawList();
  }).observe(list.scroller);
}

// Shows other turns. The first visible row stays where it is when it is still among them.
function setItems(items) {
  const anchor = topRow();
  for (const turn of list.items) turn.row = -1;
  items.forEach((turn, index) => { turn.row = index; });
  list.items = items;
  for (const [turn, row] of list.shown) numberRow(turn, row);
  measureAgain();
  keepAnchor(anchor);
  drawList();
}

function heightOf(turn) {
  return turn.height || (isOpen(turn) ? list.openHeight : list.closedHeight);
}

function measureAgain() {
  list.heights = new Heights(list.items.map(heightOf));
}

function forgetHeights() {
  const anchor = topRow();
  for (const turn of conversation.rows) turn.height = 0;
  measureAgain();
  keepAnchor(anchor);
}

// Returns the first visible row and how far it is scrolled out: {turn, offset}.
function topRow() {
  if (!list.items.length) return null;
  const top = list.scroller.scrollTop;
  const row = list.heights.at(top);
  return { turn: list.items[row], offset: top - list.heights.before(row) };
}

function keepAnchor(anchor) {
  list.space.style.height = `${list.heights.before(list.items.length)}px`;
  if (!anchor || anchor.turn.row < 0) return;
  const top = list.heights.before(anchor.turn.row) + anchor.offset;
  if (Math.abs(top - list.scroller.scrollTop) > 0.5) list.scroller.scrollTop = top;
}

function drawScrolled() {
  const top = list.scroller.scrollTop;
  const far = Math.abs(top - list.drawnTop) > list.scroller.clientHeight;
  list.drawnTop = top;
  list.ahead = far ? 0 : AHEAD;
  // After one jump a reader is where they wanted to be.
  if (far && list.rest) sketchList();
  else drawList();
  clearTimeout(list.rest);
  list.rest = far ? setTimeout(rest, REST_MS) : 0;
}

function rest() {
  list.rest = 0;
  list.ahead = AHEAD;
  drawList();
}

// Fills the view with rows of the heights that are known or guessed, and measures nothing.
function sketchList() {
  list.sketching = true;
  placeRows();
  list.sketching = false;
}

// A row that was just made is reported too, with the height that it was measured with.
function drawResized() {
  const anchor = topRow();
  if (!measureShown()) return;
  keepAnchor(anchor);
  drawList();
}

// Brings the rows in the page in line with the scroll position, and the heights with the rows.
function drawList() {
  const anchor = topRow();
  placeRows();
  // Measured rows differ from the guesses; the second pass fills what that left empty.
  if (measureShown()) {
    keepAnchor(anchor);
    placeRows();
    if (measureShown()) keepAnchor(anchor);
    placeWindow();
  }
}

function wantedRange() {
  const top = list.scroller.scrollTop;
  return [list.heights.at(top - list.ahead), list.heights.at(top + list.scroller.clientHeight + list.ahead)];
}

function placeRows() {
  const [first, last] = list.items.length ? wantedRange() : [0, -1];
  for (const [turn, row] of list.shown) {
    const stays = list.versions.get(turn) === turn.version || (list.sketching && list.versions.get(turn) === SKETCH);
    if (turn.row >= first && turn.row <= last && stays) continue;
    dropRow(turn, row);
  }
  let next = list.window.firstElementChild;
  for (let index = first; index <= last; index += 1) {
    const turn = list.items[index];
    const row = list.shown.get(turn) ?? addRow(turn);
    if (row === next) next = next.nextElementSibling;
    else list.window.insertBefore(row, next);
  }
  placeWindow(first);
}

function placeWindow(first = list.items.length ? wantedRange()[0] : 0) {
  list.space.style.height = `${list.heights.before(list.items.length)}px`;
  list.window.style.top = `${list.heights.before(first)}px`;
}

function addRow(turn) {
  const row = list.sketching ? sketchRow(turn, list.heights.each[turn.row]) : makeRow(turn);
  numberRow(turn, row);
  row.classList.toggle('selected', turn === list.selected);
  list.shown.set(turn, row);
  list.versions.set(turn, list.sketching ? SKETCH : turn.version);
  if (!list.sketching) list.resizes.observe(row);
  return row;
}

// Says to a screen reader which of how many turns a row is.
function numberRow(turn, row) {
  row.setAttribute('aria-posinset', turn.row + 1);
  row.setAttribute('aria-setsize', list.items.length);
}

function dropRow(turn, row) {
  // The focus must not fall back to the page when its row scrolls away.
  if (row.contains(document.activeElement)) list.scroller.focus({ preventScroll: true });
  list.resizes.unobserve(row);
  row.remove();
  list.shown.delete(turn);
  list.versions.delete(turn);
}

// Takes over the real heights of the rows in the page; returns whether any differed.
function measureShown() {
  let changed = false;
  for (const [turn, row] of list.shown) {
    const { height } = row.getBoundingClientRect();
    if (height === 0) continue;
    if (isOpen(turn)) list.openHeight += (height - list.openHeight) / 16;
    else list.closedHeight = height;
    turn.height = height;
    if (Math.abs(list.heights.each[turn.row] - height) < 0.5) continue;
    list.heights.set(turn.row, height);
    changed = true;
  }
  return changed;
}

// Makes the rows in the page again, for example with other search hits.
function redrawRows() {
  for (const [turn, row] of [...list.shown]) dropRow(turn, row);
  drawList();
}

// Opens or closes a turn of the timeline.
function toggle(turn, open = !isOpen(turn)) {
  if (isOpen(turn) === open) return;
  turn.open = open;
  const focused = list.shown.get(turn)?.contains(document.activeElement);
  refreshRow(turn);
  // A turn closed from its end would leave the reader far below it.
  const top = list.heights.before(turn.row);
  if (!open && list.scroller.scrollTop > top) list.scroller.scrollTop = top;
  drawList();
  select(turn, focused);
}

function refreshRow(turn) {
  turn.height = 0;
  if (turn.row < 0) return;
  list.heights.set(turn.row, heightOf(turn));
  const row = list.shown.get(turn);
  if (row) dropRow(turn, row);
}

function setAllOpen(open) {
  const anchor = topRow();
  list.allOpen = open;
  for (const turn of conversation.turns) turn.open = null;
  for (const turn of conversation.rows) turn.height = 0;
  for (const [turn, row] of [...list.shown]) dropRow(turn, row);
  measureAgain();
  if (anchor) anchor.offset = 0;
  keepAnchor(anchor);
  drawList();
}

// Marks a row as the one that keys work on, and shows it.
function select(turn, focus = true) {
  list.shown.get(list.selected)?.classList.remove('selected');
  list.selected = turn;
  if (!turn || turn.row < 0) return;
  reveal(turn);
  const row = list.shown.get(turn);
  row?.classList.add('selected');
  if (focus) row?.firstElementChild.focus({ preventScroll: true });
}

// Scrolls so that the head of a row is in view. What is drawn on the way changes heights, so the
// place is looked up again until it holds.
function reveal(turn) {
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const top = list.heights.before(turn.row);
    const head = Math.min(heightOf(turn), list.closedHeight + 4);
    const view = list.scroller.scrollTop;
    const bottom = view + list.scroller.clientHeight;
    let wanted = view;
    if (top < view) wanted = top;
    else if (top + head > bottom) wanted = heightOf(turn) > list.scroller.clientHeight ? top : top + heightOf(turn) - list.scroller.clientHeight;
    if (Math.abs(wanted - view) < 1 && list.shown.has(turn)) return;
    list.scroller.scrollTop = wanted;
    drawList();
  }
}

function moveSelection(steps) {
  if (!list.items.length) return;
  const from = list.selected && list.selected.row >= 0 ? list.selected.row : topRow().turn.row - Math.sign(steps);
  select(list.items[Math.max(0, Math.min(list.items.length - 1, from + steps))]);
}
