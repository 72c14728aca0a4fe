// Printing: only the visible rows are in the page, so all are made before the browser prints, and removed afterwards.

// More rows than this would take the browser minutes to lay out.
const MAX_PRINTED = 2000;

function startPrinting() {
  window.addEventListener('beforeprint', () => {
    const { length } = list.items;
    const said = length > MAX_PRINTED ? `This print has the first ${count(MAX_PRINTED)} of ${count(length)} rows. To print others, set a filter first.`
      : isFiltered() ? `This print has ${part('shown').textContent}: those that the filters show.` : '';
    part('paper').replaceChildren(said && make('p.note', null, said), ...list.items.slice(0, MAX_PRINTED).map((row) => makeRow(row)));
  });
  window.addEventListener('afterprint', () => part('paper').replaceChildren());
}
