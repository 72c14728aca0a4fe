// Starts the page. Everything above only declares.

// While data comes in, the rows are brought up to date so often, and at most a tenth of the time goes into that.
const REFRESH_MS = 250;
const REFRESH_SHARE = 0.1;

function startPage() {
  startTheme();
  startList();
  startSearch();
  startFilters();
  startKeys();
  startPrinting();
  part('expand').addEventListener('click', () => setAllOpen(true));
  part('collapse').addEventListener('click', () => setAllOpen(false));
  part('help-button').addEventListener('click', () => part('help').showModal());
  part('help-close').addEventListener('click', () => part('help').close());
  part('more-filters').addEventListener('click', showMoreFilters);
  if (matchMedia('(max-width: 800px)').matches) part('tokens').open = false;
  let wanted = location.hash.length > 1;
  let shownAt = -Infinity;
  let pause = 0;
  window.addEventListener('hashchange', gotoFragment);
  startLoading(() => {
    const now = performance.now();
    if (!conversation.complete && now - shownAt < pause && list.items.length) return;
    showAll();
    shownAt = performance.now();
    pause = Math.max(REFRESH_MS, (shownAt - now) / REFRESH_SHARE);
    if (wanted && gotoFragment()) wanted = false;
  });
}

function showAll() {
  showAbout();
  showChoices();
  setItems(rowsThatPass());
  showState();
  showTokens();
  showPlace();
  // Turns that came after a search began have not been looked at.
  if (conversation.complete && search.query !== '') searchFor(search.query, true);
}

// On a narrow screen the filters are hidden until they are asked for.
function showMoreFilters() {
  const open = part('filters').classList.toggle('open');
  part('more-filters').setAttribute('aria-expanded', open);
}

startPage();
