// A page that is written again while the conversation goes on loads itself again. What the reader sees is kept in the address.

const RELOAD_MS = 3000;

function startLive() {
  if (conversation.about.live) setInterval(reloadUnlessBusy, RELOAD_MS);
}

function reloadUnlessBusy() {
  if (document.hidden || part('help').open || part('tokens').open || document.activeElement === part('query') || !getSelection().isCollapsed) return;
  const top = topRow();
  const { scrollTop, clientHeight, scrollHeight } = list.scroller;
  const open = [...rowsByKey()].filter(([, row]) => row.open !== null).map(([key, row]) => [key, row.open]);
  const state = { at: top && [keyOf(top.row), top.offset], atEnd: scrollTop + clientHeight >= scrollHeight - 2, open, query: search.query,
    filters: { ...filters, tools: [...filters.tools], status: [...filters.status] } };
  location.replace(`#~${encodeURIComponent(JSON.stringify(state))}`);
  location.reload();
}

// Returns a name that an item has in the next version of the page too.
function keyOf(row) {
  return row.items ? `run ${keyOf(row.items[0])}` : `${row.turn.ids[0]} ${row.turn.items.indexOf(row)}`;
}

function rowsByKey() {
  return new Map([...conversation.turns.flatMap((turn) => turn.items), ...runs.values()].map((row) => [keyOf(row), row]));
}

// Restores what the address keeps; returns false if it keeps nothing.
function restoreLive() {
  if (!location.hash.startsWith('#~')) return false;
  let state;
  try {
    state = JSON.parse(decodeURIComponent(location.hash.slice(2)));
  } catch {
    return false; // an address that was cut
  }
  Object.assign(filters, state.filters, { tools: new Set(state.filters.tools), status: new Set(state.filters.status) });
  const rows = rowsByKey();
  for (const [key, open] of state.open) Object.assign(rows.get(key) ?? {}, { open });
  part('query').value = state.query;
  applyFilters();
  searchFor(state.query, true);
  const row = state.at && rows.get(state.at[0]);
  if (row) keepAnchor({ row, offset: state.at[1] });
  if (state.atEnd) list.scroller.scrollTop = list.scroller.scrollHeight;
  drawList();
  return true;
}
