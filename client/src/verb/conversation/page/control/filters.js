// Filters: within one filter any choice matches, and different filters must all match. Call and
// result come together: a result has the tool and the model of its call.

const filters = { role: '', model: '', tools: new Set(), status: new Set() };

const ROLES = new Map([
  ['assistant', (turn) => turn.role === 'assistant'],
  ['user', (turn) => turn.role === 'user'],
  ['prompt', (turn) => turn.role === 'user' && !isResultTurn(turn) && !turn.marks.length],
  ['result', (turn) => isResultTurn(turn)],
]);

const STATUSES = new Map([
  ['error', (turn) => hasError(turn) || turn.results.some((result) => result.call.result?.isError)],
  ['pending', isPending],
  ['subagent', (turn) => isSubagent(turn) || startsAgent(turn) || turn.results.some((result) => isAgentCall(result.call) || turnsUnder(result.call).length > 0)],
  ['text', (turn) => textOf(turn) !== ''],
]);

function isFiltered() {
  return filters.role !== '' || filters.model !== '' || filters.tools.size > 0 || filters.status.size > 0;
}

// True when a turn by itself passes all filters.
function passes(turn) {
  if (filters.role !== '' && !ROLES.get(filters.role)(turn)) return false;
  if (filters.model !== '' && !modelsOf(turn).includes(filters.model)) return false;
  if (filters.tools.size && !toolsOf(turn).some((name) => filters.tools.has(name))) return false;
  return !filters.status.size || [...filters.status].some((name) => STATUSES.get(name)(turn));
}

// Returns the rows that pass, or that started a sub-agent of which a turn passes. A role alone is
// asked of the rows only: every sub-agent has turns of both roles.
function rowsThatPass() {
  // A copy: the list must not grow while data still comes in, its heights would not.
  if (!isFiltered()) return [...conversation.rows];
  const onlyRole = filters.model === '' && !filters.tools.size && !filters.status.size;
  return conversation.rows.filter((turn) => passes(turn) || (!onlyRole && anyBelow(turn, passes)));
}

function anyBelow(turn, matches) {
  if (!turn.calls.some((call) => conversation.children.has(call.id))) return false;
  for (const [inner] of turnsBelow(turn)) if (matches(inner)) return true;
  return false;
}

// Yields the turns, sub-agents' too, that pass and are inside the rows shown.
function* shownTurns() {
  for (const turn of list.items) {
    if (passes(turn)) yield turn;
    for (const [inner] of turnsBelow(turn)) if (passes(inner)) yield inner;
  }
}

function startFilters() {
  for (const name of ['role', 'model']) {
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
  part('tools').addEventListener('toggle', closeOnOutside);
}

function clearFilters() {
  Object.assign(filters, { role: '', model: '', tools: new Set(), status: new Set() });
  for (const name of ['role', 'model']) part(name).value = '';
  for (const box of part('tool-list').querySelectorAll('input')) box.checked = false;
  applyFilters();
}

function applyFilters() {
  for (const button of part('status').querySelectorAll('button')) {
    button.setAttribute('aria-pressed', filters.status.has(button.dataset.status));
  }
  part('tools-chosen').textContent = filters.tools.size ? `Tools: ${[...filters.tools].slice(0, 2).map((name) => visibleText(gist(name, 20))).join(', ')}${filters.tools.size > 2 ? '\u2026' : ''}` : 'All tools';
  part('clear').hidden = !isFiltered();
  setItems(rowsThatPass());
  showState();
  showTokens();
  showPlace();
  if (search.query !== '') searchFor(search.query, true);
}

function showPlace() {
  const { rows } = conversation;
  part('shown').textContent = isFiltered() ? `${count(list.items.length)} of ${plural(rows.length, 'turn')}` : plural(rows.length, 'turn');
}

// Brings the choices in line with what has been read.
function showChoices() {
  const models = [...conversation.models].sort((one, other) => other[1] - one[1]);
  part('model').replaceChildren(make('option', { value: '' }, 'All models'), ...models.map(([name, turns]) =>
    make('option', { value: name, title: name }, `${gist(shortModel(name), 40)} (${count(turns)})`)));
  part('model').value = filters.model;
  const tools = [...conversation.tools].sort((one, other) => other[1] - one[1]);
  part('tool-list').replaceChildren(...tools.map(([name, calls]) => toolChoice(name, calls)));
  for (const button of part('status').querySelectorAll('button')) {
    const matches = STATUSES.get(button.dataset.status);
    // As many as this filter alone shows.
    const number = conversation.rows.filter((turn) => matches(turn) || anyBelow(turn, matches)).length;
    button.querySelector('span').textContent = count(number);
  }
}

function toolChoice(name, calls) {
  const box = make('input', { type: 'checkbox', checked: filters.tools.has(name) });
  box.addEventListener('change', () => {
    if (box.checked) filters.tools.add(name);
    else filters.tools.delete(name);
    applyFilters();
  });
  return make('label', null, box, make('span.name', null, gist(name, 60)), make('span.count', null, count(calls)));
}

// Closes the list of tools at a click beside it.
function closeOnOutside() {
  if (!part('tools').open) return;
  const close = (event) => {
    if (part('tools').contains(event.target)) return;
    part('tools').open = false;
    document.removeEventListener('pointerdown', close);
  };
  document.addEventListener('pointerdown', close);
}
