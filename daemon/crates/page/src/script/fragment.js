// The part of the address after '#' names a turn, by its number ("t12") or by the id of a message or a record.

// Shows that turn; one inside a sub-agent together with what is around it. Returns false while it has not been read.
function gotoFragment() {
  let name = location.hash.slice(1);
  try {
    name = decodeURIComponent(name);
  } catch {
    // It is looked for as it is.
  }
  const turn = conversation.byId.get(name);
  const path = turn && pathTo(turn.items[0]);
  if (!path) return false;
  if (isFiltered() && path[0].row < 0) clearFilters();
  for (const step of path.slice(0, -1)) step.open = true;
  if (path.length > 1 || path[0].kind === 'call') path.at(-1).open = true;
  const row = rowOf(path[0]);
  if (row.items) row.open = true;
  refreshRow(row);
  drawList();
  select(row, false);
  list.scroller.scrollTop = list.tops[row.row];
  drawList();
  let element = list.shown.get(row);
  const steps = row.items ? path : path.slice(1);
  for (const step of steps) element = openInside(element, step);
  if (steps.length) element?.scrollIntoView({ block: 'start' });
  return true;
}

// Returns the element of an item inside a row; a run that holds it is opened.
function openInside(element, item) {
  const find = () => element?.querySelector(`.nested [data-place="${item.place}"]`);
  if (!find() && item.holder?.items) {
    for (const closed of element?.querySelectorAll('.row[data-kind="run"]:not(.open) > .bar > .head') ?? []) closed.click();
  }
  return find() ?? element;
}

// Returns the items from a row of the timeline down to this one, or null while one is missing.
function pathTo(item) {
  if (!item) return null;
  const path = [item];
  while (path[0].turn.parent !== null && !path[0].turn.isOrphan) {
    const above = conversation.calls.get(path[0].turn.parent);
    if (!above || path.includes(above)) return null;
    path.unshift(above);
  }
  return path;
}
