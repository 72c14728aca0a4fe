// Filters: within one filter any choice matches, and different filters must all match.

const filters = { kind: '', model: '', tools: new Set(), status: new Set() };

const STATUSES = {
  error: isFailed,
  pending: (item) => item.call?.state === 'pending',
  subagent: (item) => item.turn.parent !== null || item.turn.is_agent || isAgent(item),
};

function isFiltered() {
  return filters.kind !== '' || filters.model !== '' || filters.tools.size > 0 || filters.status.size > 0;
}

// True when an item by itself passes all filters.
function passes(item) {
  if (filters.kind !== '' && item.kind !== filters.kind) return false;
  if (filters.model !== '' && item.turn.model !== filters.model) return false;
  if (filters.tools.size && !filters.tools.has(item.call?.name)) return false;
  return !filters.status.size || [...filters.status].some((name) => STATUSES[name](item));
}

// Returns the rows of what passes, or started a sub-agent of which something passes. A kind alone is asked of the timeline only:
// every sub-agent has all of them.
function rowsThatPass() {
  const onlyKind = filters.model === '' && !filters.tools.size && !filters.status.size;
  const items = !isFiltered() ? conversation.items
    : conversation.items.filter((item) => passes(item) || (!onlyKind && anyBelow(item, passes)));
  if (!isFiltered() && search.query === '' && !list.allOpen) return grouped(items);
  // A copy: the list must not grow while data still comes in, its heights would not.
  return items.map((item) => { item.holder = item; return item; });
}

function anyBelow(item, matches) {
  for (const inner of itemsBelow(item)) if (matches(inner)) return true;
  return false;
}

// Returns the turns, sub-agents' too, that have something that passes inside the rows shown.
function shownTurns() {
  const turns = new Set();
  for (const item of list.items) for (const one of [item, ...itemsBelow(item)]) if (passes(one)) turns.add(one.turn);
  return [...turns];
}

function startFilters() {
  for (const name of ['kind', 'model']) {
    part(name).addEventListener('change', () => { filters[name] = part(name).value; applyFilters(); });
  }
  for (const button of part('status').querySelectorAll('button')) {
    button.addEventListener('click', () => {
      const name = button.dataset.status;
      if (!filters.status.delete(name)) filters.status.add(name);
      applyFilters();
    });
  }
  part('clear').addEventListener('click', clearFilters);
  document.addEventListener('pointerdown', (event) => {
    for (const box of [part('tools'), part('tokens')]) box.open &&= box.contains(event.target);
  });
}

function clearFilters() {
  Object.assign(filters, { kind: '', model: '', tools: new Set(), status: new Set() });
  applyFilters();
}

function applyFilters() {
  for (const name of ['kind', 'model']) part(name).value = filters[name];
  for (const box of part('tool-list').querySelectorAll('input')) box.checked = filters.tools.has(box.value);
  for (const button of part('status').querySelectorAll('button')) {
    button.setAttribute('aria-pressed', filters.status.has(button.dataset.status));
  }
  const tools = [...filters.tools];
  part('tools-chosen').textContent = tools.length ? `Tools: ${tools.slice(0, 2).join(', ')}${tools.length > 2 ? '\u2026' : ''}` : 'All tools';
  part('clear').hidden = !isFiltered();
  part('more-filters').classList.toggle('used', isFiltered());
  setItems(rowsThatPass());
  showState();
  showTokens();
  showPlace();
  if (search.query !== '') searchFor(search.query, true);
}

function showPlace() {
  const all = turnCount(conversation.items);
  const shown = turnCount(list.items.flatMap((row) => row.items ?? row));
  part('shown').textContent = isFiltered() ? `${count(shown)} of ${plural(all, 'turn')}` : plural(all, 'turn');
}

// Brings the choices in line with what has been read.
function showChoices() {
  const byNumber = (counts) => [...counts].sort((one, other) => other[1] - one[1]);
  part('model').replaceChildren(make('option', { value: '' }, 'All models'), ...byNumber(conversation.models).map(([name, turns]) =>
    make('option', { value: name, title: name }, `${shortModel(name)} (${count(turns)})`)));
  part('model').value = filters.model;
  part('tool-list').replaceChildren(...byNumber(conversation.tools).map(([name, calls]) => make('label', null,
    make('input', { type: 'checkbox', value: name, checked: filters.tools.has(name), onchange: (event) => {
      filters.tools[event.target.checked ? 'add' : 'delete'](name);
      applyFilters();
    } }), make('span.name', null, name.slice(0, 80)), make('span.count', null, count(calls)))));
  for (const button of part('status').querySelectorAll('button')) {
    const matches = STATUSES[button.dataset.status];
    // As many as this filter alone shows.
    button.querySelector('span').textContent = count(conversation.items.filter((item) => matches(item) || anyBelow(item, matches)).length);
  }
}
