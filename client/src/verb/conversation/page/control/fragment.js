// The part of the address after '#' names a turn by its message id or by the uuid of a record.

// Opens and shows that turn; one inside a sub-agent together with the turns around it. Returns
// false while it has not been read.
function gotoFragment() {
  const turn = conversation.byId.get(fragmentId());
  if (!turn) return false;
  const path = pathTo(turn);
  if (!path) return false;
  if (path[0].row < 0) clearFilters();
  for (const step of path) step.open = true;
  refreshRow(path[0]);
  drawList();
  select(path[0], false);
  list.scroller.scrollTop = list.heights.before(path[0].row);
  drawList();
  if (path.length > 1) showInner(path);
  return true;
}

function fragmentId() {
  const text = location.hash.slice(1);
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// Returns the turns from a row of the timeline down to this one, or null while one is missing.
function pathTo(turn) {
  const path = [turn];
  while (path[0].parent !== null && !path[0].orphan) {
    const above = conversation.calls.get(path[0].parent)?.turn;
    if (!above || path.includes(above)) return null;
    path.unshift(above);
  }
  return path;
}

function showInner(path) {
  let row = list.shown.get(path[0]);
  for (const step of path.slice(1)) row = row?.querySelector(`.nested [data-place="${step.place}"]`) ?? row;
  row?.scrollIntoView({ block: 'start' });
}
