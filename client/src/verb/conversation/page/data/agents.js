// Sub-agents: turns whose parentToolUseId is the call that started them.

// Returns the turns of the sub-agent that a call started.
function turnsUnder(call) {
  return conversation.children.get(call.id) ?? [];
}

function startsAgent(turn) {
  return turn.calls.some((call) => conversation.children.has(call.id) || isAgentCall(call));
}

function isAgentCall(call) {
  return call.name === 'Task' || call.name === 'Agent';
}

// Yields all turns of the sub-agents below a turn as [turn, path of turns above it]. Each turn
// comes once, so a parent that is its own descendant ends the walk.
function* turnsBelow(turn, seen = new Set([turn])) {
  const waiting = [[turn, []]];
  while (waiting.length) {
    const [above, path] = waiting.pop();
    const inner = [...path, above];
    const found = [];
    for (const call of above.calls) {
      for (const child of turnsUnder(call)) {
        if (seen.has(child)) continue;
        seen.add(child);
        found.push([child, inner]);
        yield [child, inner];
      }
    }
    waiting.push(...found.reverse());
  }
}

// Returns the sub-agents' turns that no row leads to: those whose call is missing, and one turn of
// each circle. They become rows, and what they lead to is found through them.
function orphanTurns() {
  const seen = new Set(conversation.rows);
  const reach = (turn) => { for (const step of turnsBelow(turn, seen)) void step; };
  conversation.rows.forEach(reach);
  const orphans = [];
  const adopt = (turn) => {
    if (seen.has(turn)) return;
    seen.add(turn);
    turn.orphan = true;
    orphans.push(turn);
    reach(turn);
  };
  for (const [parent, turns] of conversation.children) {
    if (!conversation.calls.get(parent)?.turn) turns.forEach(adopt);
  }
  conversation.turns.forEach(adopt);
  return orphans;
}
