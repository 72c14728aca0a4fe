// Shows what the address names after '#': a turn, by its number ("t12") or the id of a message or a record, and perhaps one of its
// items ("t12:1"). One inside a sub-agent is shown together with what is around it. Returns false while it has not been read.
function gotoFragment() {
  const [id, index] = location.hash.slice(1).split(':');
  const items = conversation.byId.get(id)?.items ?? [];
  const path = pathTo(items[Number(index)] ?? items[0]);
  if (!path) return false;
  if (isFiltered() && path[0].row < 0) choose(NO_FILTERS);
  if (path.length > 1 || path[0].kind === 'call') for (const step of path) step.open = true;
  // Runs inside sub-agents are known when they were looked for.
  for (const step of path) grouped(childrenOf(step));
  for (const step of path) if (step.holder?.items) step.holder.open = true;
  const row = rowOf(path[0]);
  refreshRow(row);
  drawList();
  select(row, false);
  scrollToRow(row);
  if (row !== path.at(-1)) list.shown.get(row)?.querySelector(`[data-place="${path.at(-1).place}"]`)?.scrollIntoView({ block: 'start' });
  return true;
}
