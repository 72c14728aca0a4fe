// Starts the page. Everything above only declares.

// While data comes in, the rows are brought up to date so often, and at most a tenth of the time goes into that.
const [REFRESH_MS, REFRESH_SHARE] = [250, 0.1];

function startPage() {
  for (const start of [startList, startSearch, startFilters, startKeys, startPrinting]) start();
  // Light or dark: as the system says until the button is used.
  const { dataset } = document.documentElement;
  dataset.theme = kept?.theme ?? '';
  const isDark = () => (dataset.theme ? dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches);
  const buttons = {
    theme: () => { dataset.theme = isDark() ? 'light' : 'dark'; },
    expand: () => setAllOpen(true), collapse: () => setAllOpen(false),
    'help-button': () => part('help').showModal(),
    'more-filters': () => { part('more-filters').ariaExpanded = part('filters').classList.toggle('open'); },
    'contents-button': () => document.body.classList.toggle('railed'),
    clear: () => choose(NO_FILTERS),
    next: () => gotoHit(1), previous: () => gotoHit(-1),
  };
  for (const [name, press] of Object.entries(buttons)) part(name).addEventListener('click', press);
  part('tokens').addEventListener('toggle', showTokens);
  let [shownAt, pause, isPlaced] = [-Infinity, 0, false];
  window.addEventListener('hashchange', gotoFragment);
  load(() => {
    const now = performance.now();
    if (!conversation.complete && now - shownAt < pause && list.items.length) return;
    showAll();
    shownAt = performance.now();
    pause = Math.max(REFRESH_MS, (shownAt - now) / REFRESH_SHARE);
    isPlaced ||= kept ? conversation.complete && restoreKept() : gotoFragment();
    if (conversation.complete && conversation.about.live) setInterval(reloadUnlessBusy, RELOAD_MS);
  });
}

function showAll() {
  showRows();
  for (const show of [showAbout, showChoices, showRail, showState, showTokens, showWhere]) show();
  // What came after a search began has not been looked at.
  if (conversation.complete && search.query !== '') searchFor(search.query, true);
}

startPage();
