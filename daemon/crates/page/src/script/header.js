// The top of the page: what the conversation is, what it cost, and how much of it is shown.

const MAX_COSTLY = 100;

function showAbout() {
  const { about, masks } = conversation;
  part('title').textContent = about.title || 'Conversation';
  document.title = part('title').textContent.slice(0, 100);
  const [start, end] = [Date.parse(about.started_at), Date.parse(about.ended_at)];
  const origin = [ending()?.words, about.turns && `turns ${about.turns}`, masks && `${plural(masks, 'secret')} masked`, about.cwd, about.branch,
    clockTime(start, ''), duration(end - start), about.models.map(shortModel).join(', '), about.session_id, about.file].filter(Boolean).join(' \u00b7 ');
  part('origin').textContent = origin;
  part('origin').title = `${origin} \u00b7 exported ${about.exported_at ?? ''} by ccd ${about.ccd ?? ''}`;
}

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

// Shows the tokens of what the filters show beside those of the whole conversation.
function showTokens() {
  const [turns, whole] = [isFiltered() ? shownTurns() : conversation.turns, wholeUsage()];
  const sums = isFiltered() ? [...sumUsage(turns), whole[2]] : whole;
  const amount = (all) => whole[2].priced ? costText(all) : `${count(sum(all.tokens))} tokens`;
  part('cost').textContent = sums.slice(2).map(amount).join(' of ');
  part('scope').textContent = isFiltered() ? 'Tokens of the filtered turns' : 'Tokens of the whole conversation';
  part('token-rows').replaceChildren(...sums.map((sum, at) => tokenRow(['Main', 'Sub-agents', 'Total', 'Whole conversation'][at], sum)));
  if (!part('tokens').open) return;
  const costly = turns.filter((turn) => turn.usage).sort((one, other) => (other.cost ?? 0) - (one.cost ?? 0)).slice(0, MAX_COSTLY);
  part('costly').replaceChildren(...costly.map((turn) => tokenRow(make('a', { href: `#${addressOf({ turn })}` },
    turn.number ? `#${turn.number}` : 'sub-agent', ' ', (turn.items[0]?.gist ?? '').slice(0, 40)), sumOf([turn]))));
}

function tokenRow(name, all) {
  const [input, output, write5m, write1h, read] = all.tokens;
  const cells = [costText(all), count(input), count(output), count(write5m + write1h), count(read), hitRate(all.tokens)];
  return make('tr', null, make('th', { scope: 'row' }, name), cells.map((text) => make('td', null, text)));
}
