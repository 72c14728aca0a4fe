// Printing: the timeline has only the visible rows in the page, so all of them are made before
// the browser prints and removed afterwards.

// More rows than this would take the browser minutes to lay out.
const MAX_PRINTED = 2000;

function startPrinting() {
  window.addEventListener('beforeprint', fillPaper);
  window.addEventListener('afterprint', () => part('paper').replaceChildren());
}

function fillPaper() {
  const paper = part('paper');
  paper.replaceChildren();
  const rows = list.items.slice(0, MAX_PRINTED);
  if (list.items.length > MAX_PRINTED) {
    paper.append(make('p.note', null, `This print has turns 1 to ${count(MAX_PRINTED)} of ${count(list.items.length)}. `
      + 'To print others, set a filter first. The page itself has all of them.'));
  } else if (isFiltered()) {
    paper.append(make('p.note', null, `This print has the ${plural(rows.length, 'turn')} that the filters show, of ${count(conversation.rows.length)}.`));
  }
  for (const turn of rows) paper.append(makeRow(turn));
}
