// Returns an empty sum of tokens and dollars.
function emptyUsage() {
  return { input: 0, output: 0, write5m: 0, write1h: 0, read: 0, cost: 0, priced: 0, unpriced: 0, tiers: new Set() };
}

// Adds a usage record as the API writes it.
function addUsage(sum, usage) {
  const split = asObject(usage.cache_creation);
  const written = asNumber(usage.cache_creation_input_tokens);
  const write1h = asNumber(split.ephemeral_1h_input_tokens);
  sum.input += asNumber(usage.input_tokens);
  sum.output += asNumber(usage.output_tokens);
  sum.read += asNumber(usage.cache_read_input_tokens);
  sum.write1h += write1h;
  // Without the split, all that was written has the API's default life of 5 minutes.
  sum.write5m += Math.max(written - write1h, asNumber(split.ephemeral_5m_input_tokens), 0);
  if (typeof usage.service_tier === 'string' && usage.service_tier !== 'standard') sum.tiers.add(usage.service_tier);
  return sum;
}

// Adds dollars; a turn of a model without a price is counted, not added as 0.
function addCost(sum, dollarsOrNull) {
  if (typeof dollarsOrNull === 'number') {
    sum.cost += dollarsOrNull;
    sum.priced += 1;
  } else {
    sum.unpriced += 1;
  }
}

function tokenTotal(sum) {
  return sum.input + sum.output + sum.write5m + sum.write1h + sum.read;
}

// Returns the part of all input that came from the cache, 0 to 1, or null without input.
function hitRate(sum) {
  const all = sum.read + sum.write5m + sum.write1h + sum.input;
  return all === 0 ? null : sum.read / all;
}

// Returns {main, subagents, total} of these turns, once per message id: a copied or resumed
// session repeats messages that were paid for once.
function sumUsage(turns) {
  const sums = { main: emptyUsage(), subagents: emptyUsage(), total: emptyUsage() };
  const seen = new Set();
  for (const turn of turns) {
    for (const call of turn.calls) addSummaryOfAgent(sums, call);
    const usage = usageOf(turn);
    if (!usage || seen.has(turn.id)) continue;
    seen.add(turn.id);
    for (const sum of [isSubagent(turn) ? sums.subagents : sums.main, sums.total]) {
      addUsage(sum, usage);
      addCost(sum, turn.raw.cost_usd);
    }
  }
  return sums;
}

// Adds what a result says about its sub-agent, only when no turn of that sub-agent is there.
function addSummaryOfAgent(sums, call) {
  const usage = metaOf(call).usage;
  if (!isObject(usage) || !isAgentCall(call) || turnsUnder(call).length) return;
  for (const sum of [sums.subagents, sums.total]) {
    addUsage(sum, usage);
    addCost(sum, null);
  }
}

// Returns the sums that the exporter wrote for the whole conversation, or null without them.
function sumsOfAbout(about) {
  const usage = asObject(about.usage);
  if (!isObject(usage.total)) return null;
  const of = (part) => addUsage(emptyUsage(), asObject(usage[part]));
  return { main: of('main'), subagents: of('subagents'), total: of('total') };
}
