// The page that lists pages: by project, searched by title.

const LIST = [];

const knownCost = (page) => page.cost_usd ?? page.cost_at_least_usd;
const costOf = (pages) => costText({ cost: sum(pages.map(knownCost)), priced: pages.some((page) => knownCost(page) !== null),
  unpriced: pages.some((page) => page.cost_usd === null) });

function entryOf(page) {
  const start = Date.parse(page.started_at);
  return make('tr', null, make('td.when', null, clockTime(start, '')),
    make('td', null, make('a', { href: page.page }, page.title || 'Untitled'), page.branch && make('span.badge', null, page.branch)),
    make('td.right', null, plural(page.turns, 'turn')),
    make('td.right.bad', null, page.errors ? `${count(page.errors)} failed` : ''),
    make('td.right', null, duration(Date.parse(page.ended_at) - start)),
    make('td.right', null, costOf([page])));
}

function showEntries() {
  const query = part('query').value.toLowerCase();
  const shown = LIST.filter((page) => `${page.title} ${page.cwd} ${page.branch}`.toLowerCase().includes(query));
  const projects = Map.groupBy(shown, (page) => page.cwd || 'No project');
  part('shown').textContent = `${query ? `${count(shown.length)} of ` : ''}${plural(LIST.length, 'conversation')}`;
  part('projects').replaceChildren(...[...projects].map(([project, pages]) => make('section', null,
    make('h2', null, project, ' ', make('span.count', null, `${plural(pages.length, 'conversation')}, ${costOf(pages)}`)),
    make('table', null, make('tbody', null, pages.map(entryOf))))));
}

document.addEventListener('DOMContentLoaded', () => {
  LIST.push(...JSON.parse(part('pages').textContent));
  part('query').addEventListener('input', showEntries);
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target === part('query')) return;
    event.preventDefault();
    part('query').focus();
  });
  showEntries();
});
