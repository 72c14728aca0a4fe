// The top of the page: what the conversation is, and its tokens.

function showAbout() {
  const about = conversation.about;
  const title = asText(about.title) || gist(firstPrompt()) || 'Conversation';
  document.title = visibleText(gist(title, 100));
  part('title').replaceChildren();
  put(part('title'), title);
  part('origin').replaceChildren();
  const models = asList(about.models).map((model) => shortModel(asText(model))).join(', ');
  const items = [['folder', asText(about.cwd)], ['branch', asText(about.branch)], ['models', models],
    ['time', timeSpan(about)], ['session', asText(about.session_id)], ['file', asText(about.file)],
    ['exported', [asText(about.exported_at), about.ccd ? `by ccd ${asText(about.ccd)}` : ''].filter(Boolean).join(' ')]];
  put(part('origin'), facts(items));
}

// Returns the text of the first turn that a person wrote, '' when there is none yet.
function firstPrompt() {
  const prompt = conversation.rows.find((turn) => turn.role === 'user' && !turn.marks.length && textOf(turn) !== '');
  return prompt ? textOf(prompt) : '';
}

function timeSpan(about) {
  const start = Date.parse(about.started_at);
  const end = Date.parse(about.ended_at);
  if (!Number.isFinite(start)) return '';
  const from = `${dayOf(start)} ${clockTime(start, dayOf(start))}`;
  return Number.isFinite(end) ? `${from} \u2013 ${clockTime(end, dayOf(start))} (${duration(end - start)})` : from;
}

// Says how far reading is, and what could not be read.
function showState() {
  const missing = new Map([['transcript', 'The transcript itself is missing; its sub-agents\u2019 are here.'],
    ['result', 'The end of the stream is missing; the tokens are partial.']]);
  const skipped = asNumber(conversation.about.skipped_lines);
  const states = [
    conversation.complete ? '' : `Loading\u2026 ${plural(conversation.turns.length, 'turn')}`,
    missing.get(conversation.about.missing) ?? '',
    skipped ? `${plural(skipped, 'line')} of the file could not be read and ${skipped === 1 ? 'is' : 'are'} not shown.` : '',
    conversation.unreadableBlocks ? `${plural(conversation.unreadableBlocks, 'part')} of this page's data could not be read.` : '',
  ].filter(Boolean);
  part('state').textContent = states.join(' ');
  const empty = part('empty');
  empty.hidden = !conversation.complete || list.items.length > 0;
  empty.textContent = conversation.rows.length ? 'No turn matches the filters.' : 'No data: the conversation has no turns.';
}

// Shows the tokens of what the filters show; without filters those that the exporter counted,
// which include sub-agents of which only a summary was written.
function showTokens() {
  const filtered = isFiltered();
  const counted = sumUsage(filtered ? shownTurns() : conversation.turns);
  const sums = (!filtered && sumsOfAbout(conversation.about)) || counted;
  for (const name of ['main', 'subagents', 'total']) {
    const { cost, priced, unpriced } = counted[name];
    Object.assign(sums[name], { cost, priced, unpriced });
  }
  const { cost_usd: exact, cost_at_least_usd: atLeast } = conversation.about;
  if (!filtered && typeof (exact ?? atLeast) === 'number') {
    Object.assign(sums.total, { cost: exact ?? atLeast, priced: 1, unpriced: typeof exact === 'number' ? 0 : 1 });
  }
  part('scope').textContent = filtered ? 'Tokens of the filtered turns' : 'Tokens';
  part('token-total').textContent = `${count(tokenTotal(sums.total))} tokens, ${costText(sums.total)}`;
  part('token-rows').replaceChildren(
    tokenRow('Main', sums.main), tokenRow('Sub-agents', sums.subagents), tokenRow('Total', sums.total));
}

function tokenRow(name, sum) {
  const rate = hitRate(sum);
  const cells = [count(sum.input), count(sum.output), count(sum.write5m), count(sum.write1h), count(sum.read),
    rate === null ? '\u2013' : `${(rate * 100).toFixed(1)} %`];
  const missing = sum.unpriced && sum.priced ? `${plural(sum.unpriced, 'turn')} without a known price not included` : null;
  return make('tr', null, make('th', { scope: 'row' }, name, sum.tiers.size ? make('span.badge.plain', null, [...sum.tiers].join(', ')) : null),
    cells.map((text) => make('td', null, text)), make('td', { title: missing }, costText(sum)));
}

// Returns the cost; "+" after it when some turns have no known price, "no price" when none has one.
function costText(sum) {
  if (!sum.priced) return sum.unpriced ? 'no price' : '\u2013';
  return dollars(sum.cost) + (sum.unpriced ? '+' : '');
}
