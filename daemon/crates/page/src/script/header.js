// The top of the page: what the conversation is, what it cost, and how much of it is shown.

const MAX_COSTLY = 100;

function showAbout() {
  const { about } = conversation;
  const title = about.title || conversation.items.find((item) => item.kind === 'prompt')?.gist || 'Conversation';
  document.title = title.slice(0, 100);
  part('title').textContent = title;
  const [start, end] = [Date.parse(about.started_at), Date.parse(about.ended_at)];
  const origin = [about.cwd, about.branch, clockTime(start, ''), duration(end - start), about.models.map(shortModel).join(', '), masksText(),
    about.session_id, about.file].filter(Boolean).join(' \u00b7 ');
  part('origin').textContent = origin;
  part('origin').title = `${origin} \u00b7 exported ${about.exported_at ?? ''} by ccd ${about.ccd ?? ''}`;
}

const masksText = () => conversation.masks ? `${plural(conversation.masks, 'secret')} masked` : '';

// Says how far reading is, and what could not be read.
function showState() {
  part('state').textContent = [
    conversation.complete ? '' : `Loading\u2026 ${plural(conversation.turns.length, 'turn')}`, ...conversation.about.notes,
    conversation.unreadable ? `${plural(conversation.unreadable, 'part')} of this page's data could not be read.` : '',
  ].filter(Boolean).join(' ');
  part('empty').hidden = !conversation.complete || list.items.length > 0;
  part('empty').textContent = conversation.items.length ? 'No turn matches the filters.' : 'No data: the conversation has no turns.';
  const all = turnCount(conversation.items);
  part('shown').textContent = `${isFiltered() ? `${count(turnCount(list.items.flatMap((row) => row.items ?? row)))} of ` : ''}${plural(all, 'turn')}`;
}

// Shows the tokens of what the filters show; without filters those that the exporter counted.
function showTokens() {
  const turns = isFiltered() ? shownTurns() : conversation.turns;
  const sums = isFiltered() ? sumUsage(turns) : withTotals(sumUsage(turns));
  const [, , total] = sums;
  part('cost').textContent = total.priced ? costText(total) : `${count(total.tokens.reduce((one, other) => one + other))} tokens`;
  part('scope').textContent = isFiltered() ? 'Tokens of the filtered turns' : 'Tokens';
  part('token-rows').replaceChildren(...['Main', 'Sub-agents', 'Total'].map((name, at) => tokenRow(name, sums[at])));
  if (!part('tokens').open) return;
  const costly = turns.filter((turn) => turn.usage).sort((one, other) => (other.cost ?? 0) - (one.cost ?? 0)).slice(0, MAX_COSTLY);
  part('costly').replaceChildren(...costly.map((turn) => tokenRow(make('a', { href: `#${addressOf(turn)}` },
    turn.number ? `#${turn.number}` : 'sub-agent', ' ', (turn.items[0]?.gist ?? '').slice(0, 40)), sumOf([turn]))));
}

function tokenRow(name, sum) {
  const [input, output, write5m, write1h, read] = sum.tokens;
  const cells = [count(input), count(output), count(write5m + write1h), count(read), hitRate(sum.tokens), costText(sum)];
  return make('tr', null, make('th', { scope: 'row' }, name), cells.map((text) => make('td', null, text)));
}
