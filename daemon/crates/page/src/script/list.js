// The timeline: only rows near the visible part are in the page, whatever their number.

// Rows are made this many pixels before they come into view.
const AHEAD = 400;

const list = {
  items: [], // rows that the filters let through: items and runs
  heights: [], // of these rows
  tops: [0], // pixels above each row; the last one is the height of all
  shown: new Map(), // row → its element
  selected: null,
  allOpen: false,
  closedHeight: 34, // of a closed row and, on average, of an open one: guesses until measured
  openHeight: 140,
};

function startList() {
  Object.assign(list, { scroller: part('scroller'), space: part('space'), window: part('window') });
  // An element that was just made is reported too, with the height that it was measured with.
  list.resizes = new ResizeObserver(() => {
    const anchor = topRow();
    if (!measureShown()) return;
    keepAnchor(anchor);
    drawList();
  });
  list.scroller.addEventListener('scroll', drawList, { passive: true });
  let width = list.scroller.clientWidth;
  new ResizeObserver(() => {
    // Another width breaks lines elsewhere: what was measured holds no more.
    if (list.scroller.clientWidth !== width) forgetHeights();
    width = list.scroller.clientWidth;
    drawList();
  }).observe(list.scroller);
}

// Shows other rows. The first visible one stays where it is when it is still among them, alone or in a run.
function setItems(items) {
  const anchor = topRow();
  for (const row of list.items) row.row = -1;
  items.forEach((row, index) => { row.row = index; });
  list.items = items;
  list.selected = list.selected && rowOf(list.selected);
  for (const [row, element] of list.shown) numberRow(row, element);
  guessHeights();
  keepAnchor(anchor);
  drawList();
}

// Returns the row that shows an item, or the first item of a run, now.
function rowOf(row) {
  if (row.row >= 0) return row;
  const { holder } = row.items?.[0] ?? row;
  return holder ?? row;
}

function heightOf(row) {
  return row.height || (isOpen(row) ? list.openHeight : list.closedHeight);
}

function guessHeights() {
  list.heights = Float64Array.from(list.items, heightOf);
  list.tops = new Float64Array(list.items.length + 1);
  addUp(0);
}

// Adds up the heights from a row on: for 20,000 rows, a small part of the time of a frame.
function addUp(from) {
  for (let row = from; row < list.heights.length; row += 1) list.tops[row + 1] = list.tops[row] + list.heights[row];
}

function forgetHeights() {
  const anchor = topRow();
  for (const row of list.items) row.height = 0;
  guessHeights();
  keepAnchor(anchor);
}

// Returns the number of the row at a place in pixels, the last one below the end.
function rowAt(pixels) {
  let [low, high] = [0, list.items.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (list.tops[middle] <= pixels) low = middle;
    else high = middle - 1;
  }
  return low;
}

// Returns the first visible row and how far it is scrolled out: {row, offset}.
function topRow() {
  if (!list.items.length) return null;
  const top = list.scroller.scrollTop;
  const index = rowAt(top);
  return { row: list.items[index], offset: top - list.tops[index] };
}

function keepAnchor(anchor) {
  list.space.style.height = `${list.tops.at(-1)}px`;
  const row = anchor && rowOf(anchor.row);
  if (!row || row.row < 0) return;
  // A row that was closed may be shorter than what had been scrolled past of it.
  const top = list.tops[row.row] + Math.min(anchor.offset, list.heights[row.row]);
  if (Math.abs(top - list.scroller.scrollTop) > 0.5) list.scroller.scrollTop = top;
}

// Brings the rows in the page in line with the scroll position, and the heights with the rows. Measured rows differ from the
// guesses, which leaves a part empty or moves it out of view, so this is done until nothing differs.
function drawList() {
  const anchor = topRow();
  for (let pass = 0; pass < 8; pass += 1) {
    placeRows();
    if (!measureShown()) break;
    keepAnchor(anchor);
  }
  showWhere();
}

function placeRows() {
  const top = list.scroller.scrollTop;
  const first = rowAt(top - AHEAD);
  const last = list.items.length ? rowAt(top + list.scroller.clientHeight + AHEAD) : -1;
  for (const [row, element] of list.shown) {
    if (row.row < first || row.row > last || element.version !== row.version) dropRow(row, element);
  }
  let next = list.window.firstElementChild;
  for (let index = first; index <= last; index += 1) {
    const element = list.shown.get(list.items[index]) ?? addRow(list.items[index]);
    if (element === next) next = next.nextElementSibling;
    else list.window.insertBefore(element, next);
  }
  list.space.style.height = `${list.tops.at(-1)}px`;
  list.window.style.top = `${list.tops[first]}px`;
}

function addRow(row) {
  const element = Object.assign(makeRow(row), { version: row.version });
  numberRow(row, element);
  element.classList.toggle('selected', row === list.selected);
  list.shown.set(row, element);
  list.resizes.observe(element);
  return element;
}

// Says to a screen reader which of how many rows it is.
function numberRow(row, element) {
  element.setAttribute('aria-posinset', row.row + 1);
  element.setAttribute('aria-setsize', list.items.length);
}

function dropRow(row, element) {
  // The focus must not fall back to the page when its row scrolls away.
  if (element.contains(document.activeElement)) list.scroller.focus({ preventScroll: true });
  list.resizes.unobserve(element);
  element.remove();
  list.shown.delete(row);
}

// Takes over the real heights of the rows in the page; returns whether any differed.
function measureShown() {
  let from = Infinity;
  for (const [row, element] of list.shown) {
    const { height } = element.getBoundingClientRect();
    if (height === 0 || row.row < 0) continue;
    if (isOpen(row)) list.openHeight += (height - list.openHeight) / 16;
    else list.closedHeight = height;
    row.height = height;
    if (Math.abs(list.heights[row.row] - height) < 0.5) continue;
    list.heights[row.row] = height;
    from = Math.min(from, row.row);
  }
  addUp(from);
  return from < Infinity;
}

// Makes the rows in the page again, for example with other search hits.
function redrawRows() {
  for (const [row, element] of [...list.shown]) dropRow(row, element);
  drawList();
}

// Opens or closes a row of the timeline.
function toggle(row, open = !isOpen(row)) {
  if (isOpen(row) === open) return;
  row.open = open;
  const focused = list.shown.get(row)?.contains(document.activeElement);
  refreshRow(row);
  // A row closed from its end would leave the reader far below it.
  const top = list.tops[row.row];
  if (!open && list.scroller.scrollTop > top) list.scroller.scrollTop = top;
  drawList();
  select(row, focused);
}

// Makes a row again when it is drawn next.
function refreshRow(row) {
  row.height = 0;
  row.version += 1;
  if (row.row < 0) return;
  list.heights[row.row] = heightOf(row);
  addUp(row.row);
}

function setAllOpen(open) {
  list.allOpen = open;
  const all = [...conversation.turns.flatMap((turn) => turn.items), ...runs.values()];
  for (const row of all) Object.assign(row, { open: null, height: 0, version: row.version + 1 });
  setItems(rowsThatPass());
}

// Marks a row as the one that keys work on, and shows it.
function select(row, focus = true) {
  list.shown.get(list.selected)?.classList.remove('selected');
  list.selected = row;
  if (!row || row.row < 0) return;
  reveal(row);
  const element = list.shown.get(row);
  element?.classList.add('selected');
  if (focus) element?.querySelector('.head').focus({ preventScroll: true });
}

// Scrolls so that the head of a row is in view. What is drawn on the way changes heights, so the place is looked up again until
// it holds.
function reveal(row) {
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const top = list.tops[row.row];
    const height = heightOf(row);
    const { scrollTop: view, clientHeight: room } = list.scroller;
    let wanted = view;
    if (top < view) wanted = top;
    else if (top + Math.min(height, 60) > view + room) wanted = height > room ? top : top + height - room;
    if (Math.abs(wanted - view) < 1 && list.shown.has(row)) return;
    list.scroller.scrollTop = wanted;
    drawList();
  }
}

function moveSelection(steps) {
  if (!list.items.length) return;
  const from = list.selected && list.selected.row >= 0 ? list.selected.row : topRow().row.row - Math.sign(steps);
  select(list.items[Math.max(0, Math.min(list.items.length - 1, from + steps))]);
}
