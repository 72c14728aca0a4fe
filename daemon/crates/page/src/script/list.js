// The timeline: only rows near the visible part are in the page, whatever their number.

// Rows are made this many pixels before they come into view.
const AHEAD = 400;

const list = {
  items: [], // rows that the filters let through: items and runs
  heights: [], // of these rows
  shown: new Map(), // row → its element
  selected: null,
  allOpen: false,
  closedHeight: 34, // of a closed row and, on average, of an open one: guesses until measured
  openHeight: 140,
};

function startList() {
  Object.assign(list, { scroller: part('scroller'), space: part('space'), window: part('window') });
  // An element that was just made is reported too, with the height that it was measured with.
  list.resizes = new ResizeObserver(drawList);
  list.scroller.addEventListener('scroll', drawList, { passive: true });
  let width = list.scroller.clientWidth;
  new ResizeObserver(() => {
    // Another width breaks lines elsewhere: what was measured holds no more.
    if (list.scroller.clientWidth !== width) for (const row of list.items) row.height = 0;
    width = list.scroller.clientWidth;
    showRows();
  }).observe(list.scroller);
}

// Shows the rows that pass the filters; `again` makes every row anew because it looks different. The first visible row keeps its
// position if it still passes, alone or in a run.
function showRows(again = false) {
  const anchor = topRow();
  for (const row of list.items) row.row = -1;
  list.items = rowsThatPass();
  list.items.forEach((row, index) => { row.row = index; });
  list.heights = Float64Array.from(list.items, heightOf);
  if (again) for (const row of list.shown.keys()) dropRow(row);
  list.selected = list.selected && rowOf(list.selected);
  keepAnchor(anchor);
  drawList();
}

// Returns the row that shows an item, or the first item of a run, now.
const rowOf = (row) => row.row >= 0 ? row : (row.items?.[0] ?? row).holder ?? row;
const heightOf = (row) => row.height || (isOpen(row) ? list.openHeight : list.closedHeight);

// Returns how many pixels are above a row. Adding up 20,000 heights takes a small part of the time of a frame.
function topOf(row) {
  let top = 0;
  for (let index = 0; index < row; index += 1) top += list.heights[index];
  return top;
}

// Returns the number of the row at a place in pixels, the last one below the end.
function rowAt(pixels) {
  let row = 0;
  for (let end = list.heights[0]; end <= pixels && row < list.items.length - 1; end += list.heights[row]) row += 1;
  return row;
}

// Returns the first visible row and how far it is scrolled out: {row, offset}.
function topRow() {
  if (!list.items.length) return null;
  const top = list.scroller.scrollTop;
  const index = rowAt(top);
  return { row: list.items[index], offset: top - topOf(index) };
}

function keepAnchor(anchor) {
  list.space.style.height = `${topOf(list.items.length)}px`;
  const row = anchor && rowOf(anchor.row);
  if (!row || row.row < 0) return;
  // A row that was closed may be shorter than what had been scrolled past of it.
  const top = topOf(row.row) + Math.min(anchor.offset, list.heights[row.row]);
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
  for (const row of list.shown.keys()) if (row.row < first || row.row > last) dropRow(row);
  let next = list.window.firstElementChild;
  for (let index = first; index <= last; index += 1) {
    const row = list.items[index];
    const element = list.shown.get(row) ?? addRow(row);
    // A screen reader says which of how many rows it is.
    Object.assign(element, { ariaPosInSet: index + 1, ariaSetSize: list.items.length });
    element.classList.toggle('selected', row === list.selected);
    if (element === next) next = next.nextElementSibling;
    else list.window.insertBefore(element, next);
  }
  list.space.style.height = `${topOf(list.items.length)}px`;
  list.window.style.top = `${topOf(first)}px`;
}

function addRow(row) {
  const element = makeRow(row);
  list.shown.set(row, element);
  list.resizes.observe(element);
  return element;
}

// Removes a row from the page; if it is still in view, it is made again when the list is drawn.
function dropRow(row) {
  const element = list.shown.get(row);
  if (!element) return;
  // The focus must not fall back to the page when its row scrolls away.
  if (element.contains(document.activeElement)) list.scroller.focus({ preventScroll: true });
  list.resizes.unobserve(element);
  element.remove();
  list.shown.delete(row);
}

// Takes over the real heights of the rows in the page; returns whether any differed.
function measureShown() {
  let differs = false;
  for (const [row, element] of list.shown) {
    const { height } = element.getBoundingClientRect();
    if (height === 0 || row.row < 0) continue;
    if (isOpen(row)) list.openHeight += (height - list.openHeight) / 16;
    else list.closedHeight = height;
    differs ||= Math.abs(list.heights[row.row] - height) >= 0.5;
    row.height = height;
    list.heights[row.row] = height;
  }
  return differs;
}

// Opens or closes a row of the timeline.
function toggle(row, open = !isOpen(row)) {
  if (isOpen(row) === open) return;
  row.open = open;
  const focused = list.shown.get(row)?.contains(document.activeElement);
  refreshRow(row);
  select(row, focused);
}

// Makes a row again when it is drawn next.
function refreshRow(row) {
  row.height = 0;
  dropRow(row);
  if (row.row >= 0) list.heights[row.row] = heightOf(row);
}

function setAllOpen(open) {
  list.allOpen = open;
  for (const row of allRows()) Object.assign(row, { open: null, height: 0 });
  showRows(true);
}

// Marks a row as the one that keys work on, and scrolls so that its head is in view. What is drawn on the way changes heights, so
// the place is looked up again until it holds.
function select(row, focus = true) {
  list.selected = row;
  drawList();
  for (let attempt = 0; row.row >= 0 && attempt < 4; attempt += 1) {
    const [top, height] = [topOf(row.row), list.heights[row.row]];
    const { scrollTop: view, clientHeight: room } = list.scroller;
    const isBelow = top + Math.min(height, 60) > view + room;
    const lowest = height > room ? top : top + height - room;
    const wanted = isBelow ? lowest : Math.min(top, view);
    if (Math.abs(wanted - view) < 1 && list.shown.has(row)) break;
    list.scroller.scrollTop = wanted;
    drawList();
  }
  if (focus) list.shown.get(row)?.querySelector('.head').focus({ preventScroll: true });
}

// Scrolls a row to the top of the view.
function scrollToRow(row) {
  list.scroller.scrollTop = topOf(row.row);
  drawList();
}

function moveSelection(steps) {
  if (!list.items.length) return;
  const from = list.selected?.row >= 0 ? list.selected.row : topRow().row.row - Math.sign(steps);
  select(list.items[Math.max(0, Math.min(list.items.length - 1, from + steps))]);
}

function movePrompt(step) {
  const from = list.selected?.row >= 0 ? list.selected.row : topRow()?.row.row;
  const prompts = list.items.filter((row) => row.kind === 'prompt');
  const prompt = step > 0 ? prompts.find((row) => row.row > from) : prompts.findLast((row) => row.row < from);
  if (!prompt) return;
  select(prompt);
  scrollToRow(prompt);
}
