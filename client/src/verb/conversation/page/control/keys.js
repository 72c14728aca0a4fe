// Keys. Those of a text field, a list of choices and the help stay theirs.

const ROW_KEYS = new Map([
  ['ArrowDown', () => moveSelection(1)], ['j', () => moveSelection(1)],
  ['ArrowUp', () => moveSelection(-1)], ['k', () => moveSelection(-1)],
  ['Home', () => moveSelection(-Infinity)], ['End', () => moveSelection(Infinity)],
  ['ArrowRight', () => list.selected && toggle(list.selected, true)],
  ['ArrowLeft', () => list.selected && toggle(list.selected, false)],
  ['n', () => gotoHit(1)], ['N', () => gotoHit(-1)],
  ['e', () => setAllOpen(true)], ['c', () => setAllOpen(false)],
  ['/', focusSearch], ['?', () => part('help').showModal()],
]);

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
    if (event.key === 'Enter') return enter(event);
    const action = ROW_KEYS.get(event.key);
    if (action) {
      event.preventDefault();
      action();
    }
    return undefined;
  });
}

function focusSearch() {
  part('query').focus();
  part('query').select();
}

// On a button, Enter is the button's; elsewhere it opens or closes the selected turn.
function enter(event) {
  if (event.target.closest?.('button, summary, a')) return;
  event.preventDefault();
  if (list.selected) toggle(list.selected);
}

function escape(event) {
  if (part('help').open) return;
  if (part('tools').open) part('tools').open = false;
  else if (search.query !== '' || part('query').value !== '') clearSearch();
  else if (event.target.closest?.('.row.open') && list.selected) toggle(list.selected, false);
  if (list.selected?.row >= 0) select(list.selected);
  else list.scroller.focus({ preventScroll: true });
}
