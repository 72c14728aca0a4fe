// The timeline: only rows near the visible part are in the page, whatever their number.

// Rows are made this many pixels before they come into view.
const AHEAD = 400;

const list = {
  items: [], // rows that the filters let through: items and runs
  heights: new Heights([]),
  shown: new Map(), // row → its element
  versions: new Map(), // row → version of that element
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
    if (list.scroller.clientWidth !== width) measureAgain(true);
    width = list.scroller.clientWidth;
    drawList();
  }).observe(list.scroller);
}

// Shows other rows. The first visible one stays where it is when it is still among them, alone or in a run.
function setItems(items) {
  const anchor = topRow();
  const focused = list.selected;
  for (const row of list.items) row.row = -1;
  items.forEach((row, index) => { row.row = index; });
  list.items = items;
  list.selected = focused && rowOf(focused);
  for (const [row, element] of list.shown) numberRow(row, element);
  measureAgain();
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

function measureAgain(isWider = false) {
  const anchor = topRow();
  if (isWider) for (const row of list.items) row.height = 0;
  list.heights = new Heights(list.items.map(heightOf));
  if (isWider) keepAnchor(anchor);
}

// Returns the first visible row and how far it is scrolled out: {row, offset}.
function topRow() {
  if (!list.items.length || !list.heights.length) return null;
  const top = list.scroller.scrollTop;
  const index = list.heights.at(top);
  return { row: list.items[index], offset: top - list.heights.before(index) };
}

function keepAnchor(anchor) {
  list.space.style.height = `${list.heights.before(list.items.length)}px`;
  const row = anchor && rowOf(anchor.row);
  if (!row || row.row < 0) return;
  const top = list.heights.before(row.row) + anchor.offset;
  if (Math.abs(top - list.scroller.scrollTop) > 0.5) list.scroller.scrollTop = top;
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
  showWhere();
}

function wantedRange() {
  if (!list.items.length) return [0, -1];
  const top = list.scroller.scrollTop;
  return [list.heights.at(top - AHEAD), list.heights.at(top + list.scroller.clientHeight + AHEAD)];
}

function placeRows() {
  const [first, last] = wantedRange();
  for (const [row, element] of list.shown) {
    if (row.row < first || row.row > last || list.versions.get(row) !== row.version) dropRow(row, element);
  }
  let next = list.window.firstElementChild;
  for (let index = first; index <= last; index += 1) {
    const element = list.shown.get(list.items[index]) ?? addRow(list.items[index]);
    if (element === next) next = next.nextElementSibling;
    else list.window.insertBefore(element, next);
  }
  placeWindow();
}

function placeWindow() {
  list.space.style.height = `${list.heights.before(list.items.length)}px`;
  list.window.style.top = `${list.heights.before(wantedRange()[0])}px`;
}

function addRow(row) {
  const element = makeRow(row);
  numberRow(row, element);
  element.classList.toggle('selected', row === list.selected);
  list.shown.set(row, element);
  list.versions.set(row, row.version);
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
  list.versions.delete(row);
}

// Takes over the real heights of the rows in the page; returns whether any differed.
function measureShown() {
  let changed = false;
  for (const [row, element] of list.shown) {
    const { height } = element.getBoundingClientRect();
    if (height === 0 || row.row < 0) continue;
    if (isOpen(row)) list.openHeight += (height - list.openHeight) / 16;
    else list.closedHeight = height;
    row.height = height;
    if (Math.abs(list.heights.each[row.row] - height) < 0.5) continue;
    list.heights.set(row.row, height);
    changed = true;
  }
  return changed;
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
  const top = list.heights.before(row.row);
  if (!open && list.scroller.scrollTop > top) list.scroller.scrollTop = top;
  drawList();
  select(row, focused);
}

function refreshRow(row) {
  row.height = 0;
  if (row.row < 0) return;
  list.heights.set(row.row, heightOf(row));
  const element = list.shown.get(row);
  if (element) dropRow(row, element);
}

function setAllOpen(open) {
  list.allOpen = open;
  for (const turn of conversation.turns) for (const item of turn.items) Object.assign(item, { open: null, height: 0 });
  for (const run of runs.values()) Object.assign(run, { open: null, height: 0 });
  for (const [row, element] of [...list.shown]) dropRow(row, element);
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
    const top = list.heights.before(row.row);
    const height = heightOf(row);
    const view = list.scroller.scrollTop;
    const room = list.scroller.clientHeight;
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
