// A page that is written again while the conversation goes on loads itself again. The browser's history keeps what the reader sees.

const RELOAD_MS = 3000;

const kept = history.state;

function reloadUnlessBusy() {
  if (document.hidden || document.activeElement === part('query') || !getSelection().isCollapsed
    || document.body.classList.contains('railed') || part('changes').querySelector('[open]') || ['help', 'tokens', 'tools'].some((name) => part(name).open)) return;
  const top = topRow();
  const { scrollTop, clientHeight, scrollHeight } = list.scroller;
  const state = {
    at: top && [keyOf(top.row), top.offset],
    atEnd: scrollTop + clientHeight >= scrollHeight - 2,
    selected: list.selected && keyOf(list.selected),
    rows: allRows().filter((row) => row.open !== null || row.foot).map((row) => [keyOf(row), row.open, row.foot]),
    sections: [...list.shown].map(([row, element]) => [keyOf(row), [...element.querySelectorAll('details')].map((one) => one.open)]),
    allOpen: list.allOpen,
    query: search.query,
    filters,
    panel: part('filters').classList.contains('open'),
    theme: document.documentElement.dataset.theme,
  };
  history.replaceState(state, '');
  location.reload();
}

// Returns a name that a row has in the next version of the page too.
const keyOf = (row) => row.items ? `run ${keyOf(row.items[0])}` : `${row.turn.ids[0]} ${row.index}`;

// Restores what was kept when this version of the page was loaded.
function restoreKept() {
  const rows = new Map(allRows().map((row) => [keyOf(row), row]));
  for (const [key, open, foot] of kept.rows) Object.assign(rows.get(key) ?? {}, { open, foot, height: 0 });
  list.allOpen = kept.allOpen;
  list.selected = rows.get(kept.selected) ?? null;
  if (kept.panel) part('more-filters').click();
  part('query').value = kept.query;
  choose(kept.filters);
  searchFor(kept.query, true);
  const anchor = kept.at && rows.has(kept.at[0]) ? { row: rows.get(kept.at[0]), offset: kept.at[1] } : topRow();
  keepAnchor(anchor);
  drawList();
  for (const [key, open] of kept.sections) {
    open.forEach((isOpen, at) => {
      const section = list.shown.get(rows.get(key))?.querySelectorAll('details')[at];
      if (section) Object.assign(section, { open: isOpen }).dispatchEvent(new Event('toggle'));
    });
  }
  // The sections are as high as they were: now the offset is one within the row.
  measureShown();
  keepAnchor(anchor);
  if (kept.atEnd) list.scroller.scrollTop = list.scroller.scrollHeight;
  drawList();
  return true;
}
