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
  part('tokens').addEventListener('toggle', () => part('tokens').open && showTokens());
  part('more-filters').addEventListener('click', () => {
    part('more-filters').setAttribute('aria-expanded', part('filters').classList.toggle('open'));
  });
  part('contents-button').addEventListener('click', () => document.body.classList.toggle('railed'));
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
    if (wanted && (gotoFragment() || (conversation.complete && restoreLive()))) wanted = false;
    if (conversation.complete) startLive();
  });
}

function showAll() {
  setItems(rowsThatPass());
  for (const show of [showAbout, showChoices, showRail, showState, showTokens, showPlace, showWhere]) show();
  // What came after a search began has not been looked at.
  if (conversation.complete && search.query !== '') searchFor(search.query, true);
}

// Light or dark: as the system says until the button is used.
function startTheme() {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const { dataset } = document.documentElement;
  const isDark = () => (dataset.theme ? dataset.theme === 'dark' : system.matches);
  const name = () => Object.assign(part('theme'), { title: isDark() ? 'Light colours' : 'Dark colours', ariaLabel: isDark() ? 'Light colours' : 'Dark colours' });
  part('theme').addEventListener('click', () => {
    dataset.theme = isDark() ? 'light' : 'dark';
    name();
  });
  system.addEventListener('change', name);
  name();
}

startPage();
