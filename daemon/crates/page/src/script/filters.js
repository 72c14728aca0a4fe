// Filters: within one filter any choice matches, and different filters must all match.

const STATUSES = {
  error: isFailed,
  pending: (item) => item.call?.state === 'pending',
  subagent: (item) => item.turn.parent !== null || item.turn.is_agent || isAgent(item),
};

const NO_FILTERS = { kind: [], model: [], tool: [], status: [] };
let filters = NO_FILTERS; // what is chosen

function startFilters() {
  part('filters').addEventListener('change', applyFilters);
  document.addEventListener('pointerdown', (event) => {
    for (const box of [part('tools'), part('tokens')]) box.open &&= box.contains(event.target);
  });
}

const isFiltered = () => Object.values(filters).some((choices) => choices.length);

// True when an item by itself passes all filters.
function passes(item) {
  const { kind, model, tool, status } = filters;
  return (!kind.length || kind.includes(item.kind)) && (!model.length || model.includes(item.turn.model))
    && (!tool.length || (item.call && tool.includes(item.name))) && (!status.length || status.some((name) => STATUSES[name](item)));
}

// Returns the rows of what passes, or started a sub-agent of which something passes. A kind alone is asked of the timeline only:
// every sub-agent has all of them.
function rowsThatPass() {
  const [all, onlyKind] = [!isFiltered(), !filters.model.length && !filters.tool.length && !filters.status.length];
  if (all && search.query === '' && !list.allOpen) return grouped(conversation.items);
  const items = conversation.items.filter((item) => all || passes(item) || (!onlyKind && itemsBelow(item).some(passes)));
  for (const item of items) item.holder = item;
  return items;
}

// Returns the turns, sub-agents' too, that have something that passes inside the rows shown.
const shownTurns = () => [...new Set(list.items.flatMap((item) => [item, ...itemsBelow(item)]).filter(passes).map((item) => item.turn))];

// Makes these the choices; they are as `filters`.
function choose(wanted) {
  filters = wanted;
  showChoices();
  part('kind').value = wanted.kind[0] ?? '';
  for (const box of part('status').querySelectorAll('input')) box.checked = wanted.status.includes(box.value);
  applyFilters();
}

function applyFilters() {
  const data = new FormData(part('filters'));
  filters = Object.fromEntries(Object.keys(NO_FILTERS).map((name) => [name, data.getAll(name).filter(Boolean)]));
  const { tool } = filters;
  part('tools-chosen').textContent = tool.length ? `Tools: ${tool.slice(0, 2).join(', ')}${tool.length > 2 ? '\u2026' : ''}` : 'All tools';
  part('clear').hidden = !isFiltered();
  part('more-filters').classList.toggle('used', isFiltered());
  showRows();
  showState();
  showTokens();
  if (search.query !== '') searchFor(search.query, true);
}

// Returns how often each name is there, most often first.
const tally = (names) => [...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]).sort((one, other) => other[1] - one[1]);

// Brings the choices in line with what has been read.
function showChoices() {
  const models = conversation.turns.filter((turn) => turn.model && turn.items.length).map((turn) => turn.model);
  part('model').replaceChildren(make('option', { value: '' }, 'All models'), ...tally(models).map(([name, turns]) =>
    make('option', { value: name, title: name, selected: filters.model.includes(name) }, `${shortModel(name)} (${count(turns)})`)));
  const calls = [...conversation.calls.values()].map((item) => item.name);
  part('tool-list').replaceChildren(...tally(calls).map(([name, calls]) => make('label', null,
    make('input', { type: 'checkbox', name: 'tool', value: name, checked: filters.tool.includes(name) }),
    make('span.name', null, name.slice(0, 80)), make('span.count', null, count(calls)))));
  for (const box of part('status').querySelectorAll('input')) {
    const matches = box.value === 'subagent' ? isAgent : STATUSES[box.value];
    box.nextElementSibling.textContent = count([...conversation.calls.values()].filter(matches).length);
  }
}
