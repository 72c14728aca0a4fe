// Task and Agent: what the sub-agent was asked, its own timeline, and its report.
const AGENT = {
  target: (input) => [asText(input.subagent_type), asText(input.description)].filter(Boolean).join(': '),

  outcome(call) {
    const meta = metaOf(call);
    const said = asText(meta.status);
    return [said === 'completed' ? '' : said.replace(/_/g, ' '), duration(meta.totalDurationMs),
      Number.isFinite(meta.totalTokens) ? `${count(meta.totalTokens)} tokens` : ''].filter(Boolean).join(', ');
  },

  show(call) {
    const input = asObject(call.input);
    const meta = metaOf(call);
    const turns = turnsUnder(call);
    return [
      facts([
        ['type', input.subagent_type ?? meta.agentType], ['status', call.result ? meta.status : 'awaiting result'],
        ['duration', duration(meta.totalDurationMs)],
        ['tokens', Number.isFinite(meta.totalTokens) ? count(meta.totalTokens) : null],
        ['tool calls', Number.isFinite(meta.totalToolUseCount) ? count(meta.totalToolUseCount) : null],
        ['model', meta.resolvedModel ?? input.model], ['agent', meta.agentId],
      ].map(([name, value]) => [name, asText(value)])),
      fold('Prompt', () => longMarkdown(asText(input.prompt ?? meta.prompt)), asText(input.prompt).length < 600),
      make('div.label', null, call.result ? 'Report' : ''),
      call.result ? agentReport(call) : awaiting(),
    ].concat(turns.length ? [] : [note('The turns of this sub-agent are not in the data.')]);
  },
};

// Returns what the sub-agent reported: as markdown, unless the result is an error.
function agentReport(call) {
  if (call.result.isError) return plainResult(call);
  const said = asList(metaOf(call).content).map(asObject).filter((item) => item.type === 'text').map((item) => asText(item.text));
  const text = said.join('\n\n') || resultText(call.result);
  return text === '' ? plainResult(call) : longMarkdown(text);
}

// Returns the timeline of the sub-agent that a call of any tool started, or null. `above` are the
// turns around it: one that comes again inside itself is named instead of shown.
function nestedTimeline(call, above, open) {
  const turns = turnsUnder(call);
  if (!turns.length) return null;
  return fold(`Sub-agent: ${plural(turns.length, 'turn')}`, () => {
    const box = make('div.nested', { role: 'group', 'aria-label': 'Turns of the sub-agent' });
    return clippedRows(box, turns, (turn) => (above.includes(turn)
      ? note(`Turn ${turn.number} is already shown above: it is its own sub-agent.`)
      : makeRow(turn, above)));
  }, open);
}
