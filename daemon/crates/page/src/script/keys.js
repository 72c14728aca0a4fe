// Keys. Those of a text field, a list of choices and the help stay theirs.

const ROW_KEYS = {
  ArrowDown: () => moveSelection(1), j: () => moveSelection(1), ArrowUp: () => moveSelection(-1), k: () => moveSelection(-1),
  Home: () => moveSelection(-Infinity), End: () => moveSelection(Infinity),
  ArrowRight: () => list.selected && toggle(list.selected, true), ArrowLeft: () => list.selected && toggle(list.selected, false),
  p: () => movePrompt(1), P: () => movePrompt(-1), n: () => gotoHit(1), N: () => gotoHit(-1),
  e: () => setAllOpen(true), c: () => setAllOpen(false), '/': focusSearch, '?': () => part('help').showModal(),
};

function startKeys() {
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') return escape(event);
    if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'f') {
      // The browser's own search would see the few rows that are in the page.
      event.preventDefault();
      return focusSearch();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || part('help').open) return undefined;
    if (event.target.closest?.('input, select, textarea')) return undefined;
    // On a button, Enter is the button's; elsewhere it opens or closes the selected row.
    const isButton = event.target.closest?.('button, summary, a');
    const action = event.key === 'Enter' && !isButton && list.selected ? () => toggle(list.selected) : ROW_KEYS[event.key];
    if (!action) return undefined;
    event.preventDefault();
    return action();
  });
}

function focusSearch() {
  part('query').focus();
  part('query').select();
}

// Goes to the next or the previous prompt.
function movePrompt(step) {
  const from = list.selected?.row >= 0 ? list.selected.row : topRow()?.row.row ?? 0;
  for (let row = from + step; row >= 0 && row < list.items.length; row += step) {
    if (list.items[row].kind !== 'prompt') continue;
    select(list.items[row]);
    list.scroller.scrollTop = list.tops[row];
    return;
  }
}

function escape(event) {
  if (part('help').open) return;
  const box = [part('tools'), part('tokens')].find((one) => one.open);
  if (box) box.open = false;
  else if (document.body.classList.contains('railed')) document.body.classList.remove('railed');
  else if (search.query !== '' || part('query').value !== '') clearSearch();
  else if (event.target.closest?.('.row.open') && list.selected) toggle(list.selected, false);
  if (list.selected?.row >= 0) select(list.selected);
  else list.scroller.focus({ preventScroll: true });
}
