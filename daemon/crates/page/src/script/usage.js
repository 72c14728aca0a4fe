// Tokens and dollars. The exporter writes the tokens of a turn as [input, output, cache write for 5 min, for 1 h, cache read].

function sumOf(turns) {
  const costs = turns.map((turn) => turn.cost).filter((cost) => typeof cost === 'number');
  const tokens = [0, 1, 2, 3, 4].map((kind) => sum(turns.map(({ usage }) => usage[kind])));
  return { tokens, cost: sum(costs), priced: costs.length > 0, unpriced: costs.length < turns.length };
}

// Returns the part of all input that came from the cache as "93 %", '' without input.
function hitRate([input, , write5m, write1h, read]) {
  const all = read + write5m + write1h + input;
  return all === 0 ? '' : `${(read / all * 100).toFixed(0)} %`;
}

// Returns [main, sub-agents, total] of these turns, once per message: a copied or resumed session repeats messages that were
// paid for once.
function sumUsage(turns) {
  const paid = [...Map.groupBy(turns.filter((turn) => turn.usage?.some(Boolean)), (turn) => turn.ids[0]).values()].map(([first]) => first);
  const isOfAgent = (turn) => turn.parent !== null || turn.is_agent;
  return [paid.filter((turn) => !isOfAgent(turn)), paid.filter(isOfAgent), paid].map(sumOf);
}

// Returns the same of the whole conversation, as the exporter counted it: it knows also sub-agents of which only a summary is there.
const wholeUsage = () => conversation.about.sums.map(([tokens, cost, isWhole]) => ({ tokens, cost, priced: cost !== null, unpriced: !isWhole }));
