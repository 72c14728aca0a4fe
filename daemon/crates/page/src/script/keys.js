// Keys. Those of the search field, a list of choices and the help stay theirs.

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
    if (event.ctrlKey || event.metaKey || event.altKey || part('help').open || event.target.closest?.('#query, select')) return undefined;
    // On a button, Enter is the button's; elsewhere it opens or closes the selected row.
    const isButton = event.target.closest?.('button, summary, a, input');
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

function escape(event) {
  if (part('help').open) return;
  const box = [part('tools'), part('tokens')].find((one) => one.open);
  if (box) box.open = false;
  else if (document.body.classList.contains('railed')) document.body.classList.remove('railed');
  else if (search.query !== '' || part('query').value !== '') searchFor(part('query').value = '');
  else if (event.target.closest?.('.row.open') && list.selected) toggle(list.selected, false);
  if (list.selected?.row >= 0) select(list.selected);
  else list.scroller.focus({ preventScroll: true });
}
