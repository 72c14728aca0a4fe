// Tokens and dollars. The exporter writes the tokens of a turn as [input, output, cache write for 5 min, for 1 h, cache read].

function sumOf(turns) {
  const sum = { tokens: [0, 0, 0, 0, 0], cost: 0, priced: 0, unpriced: 0 };
  for (const { usage, cost } of turns) {
    sum.tokens = sum.tokens.map((tokens, kind) => tokens + usage[kind]);
    sum.cost += cost ?? 0;
    sum[typeof cost === 'number' ? 'priced' : 'unpriced'] += 1;
  }
  return sum;
}

// Returns the part of all input that came from the cache as "93 %", '' without input.
function hitRate([input, , write5m, write1h, read]) {
  const all = read + write5m + write1h + input;
  return all === 0 ? '' : `${(read / all * 100).toFixed(0)} %`;
}

// Returns [main, sub-agents, total] of these turns, once per message: a copied or resumed session repeats messages that were
// paid for once.
function sumUsage(turns) {
  const paid = [...Map.groupBy(turns.filter((turn) => turn.usage), (turn) => turn.ids[0]).values()].map(([first]) => first);
  const isOfAgent = (turn) => turn.parent !== null || turn.is_agent;
  return [paid.filter((turn) => !isOfAgent(turn)), paid.filter(isOfAgent), paid].map(sumOf);
}

// Puts in what the exporter counted for the whole conversation: it knows also sub-agents of which only a summary is there.
function withTotals(sums) {
  const { usage, cost_usd: exact, cost_at_least_usd: atLeast } = conversation.about;
  sums.forEach((sum, part) => { sum.tokens = usage[part]; });
  const known = exact ?? atLeast;
  if (typeof known === 'number') Object.assign(sums[2], { cost: known, priced: 1, unpriced: typeof exact === 'number' ? 0 : 1 });
  return sums;
}

// Returns the cost; "+" after it when some turns have no known price, "no price" when none has one.
function costText(sum) {
  if (!sum.priced) return sum.unpriced ? 'no price' : '\u2013';
  return dollars(sum.cost) + (sum.unpriced ? '+' : '');
}
