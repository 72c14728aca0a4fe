// TodoWrite: the list after the call, and what changed in it.
const TODO = {
  target: (input) => plural(asList(input.todos).length, 'item'),

  outcome(call) {
    const changes = todoChanges(call).filter((item) => item.change !== '');
    return changes.length ? plural(changes.length, 'change') : '';
  },

  show(call) {
    const items = todoChanges(call);
    return [
      items.length ? make('ul.todos', null, items.map(todoItem)) : note('The list is empty.'),
      !call.result || call.result.isError ? plainResult(call) : null,
    ];
  },
};

const TODO_SIGNS = new Map([['pending', '\u2610'], ['in_progress', '\u25d0'], ['completed', '\u2611']]);

// Returns [{text, status, change}]: the items after the call, then those that were removed.
function todoChanges(call) {
  const meta = metaOf(call);
  const now = asList(meta.newTodos ?? asObject(call.input).todos).map(asObject);
  // Without the details nothing says what the list was before.
  const known = Array.isArray(meta.oldTodos);
  const before = new Map(asList(meta.oldTodos).map(asObject).map((item) => [asText(item.content), asText(item.status)]));
  const items = now.map((item) => {
    const text = asText(item.content);
    const status = asText(item.status);
    const old = before.get(text);
    before.delete(text);
    let change = '';
    if (known && old === undefined) change = 'added';
    else if (known && old !== status) change = `${todoStatus(old)} \u2192 ${todoStatus(status)}`;
    return { text, status, change };
  });
  return [...items, ...[...before].map(([text, status]) => ({ text, status, change: 'removed' }))];
}

function todoStatus(status) {
  return status.replace(/_/g, ' ') || 'no status';
}

function todoItem({ text, status, change }) {
  return make(change === 'removed' ? 'li.gone' : 'li', { 'data-status': status },
    make('span.sign', { title: todoStatus(status), 'aria-label': todoStatus(status), role: 'img' }, TODO_SIGNS.get(status) ?? '\u2610'),
    make('span.what', null, text), change ? make('span.change', null, change) : null);
}
