// Returns the turn that the page works with, made from a turn of the data. Whatever is missing or
// has an unexpected type becomes empty: the records are another program's.
function makeTurn(value, place) {
  const raw = asObject(value);
  const records = distinctRecords(asList(raw.records).map(unwrapped));
  const turn = {
    raw,
    place, // in file order
    records,
    id: typeof raw.messageId === 'string' ? raw.messageId : asText(records[0]?.uuid),
    role: typeof raw.role === 'string' ? raw.role : asText(records[0]?.type),
    at: Date.parse(asText(raw.at ?? records[0]?.timestamp)),
    model: asText(raw.model ?? records.find((record) => asObject(record.message).model)?.message.model),
    parent: typeof raw.parentToolUseId === 'string' && raw.parentToolUseId !== '' ? raw.parentToolUseId : null,
    sidechain: records.some((record) => record.isSidechain === true),
    orphan: false,
    blocks: [],
    calls: [], // calls that this turn makes
    results: [], // results that this turn brings: {block, meta, isError, call}
    marks: marksOf(records),
    apiError: records.some((record) => record.isApiErrorMessage === true),
    number: 0, // shown; counts within the timeline or within its sub-agent
    version: 0, // grows when a shown row has to be made again
    open: null, // null: as "expand all" says
    height: 0, // measured in its present state, in pixels
    row: -1, // place in the list as it is filtered now
  };
  for (const record of records) takeBlocks(turn, record);
  return turn;
}

// Returns a record of a sub-agent's out of the report of its progress.
function unwrapped(record) {
  const inner = asObject(record?.data).message;
  return record?.type === 'progress' && isObject(inner) ? { ...record, ...inner } : record;
}

// Returns the records that are objects, each uuid once; a later one replaces the earlier in place.
function distinctRecords(records) {
  const byUuid = new Map();
  records.filter(isObject).forEach((record, index) => {
    byUuid.set(typeof record.uuid === 'string' ? record.uuid : index, record);
  });
  return [...byUuid.values()];
}

function takeBlocks(turn, record) {
  const content = asObject(record.message).content;
  const blocks = (typeof content === 'string' ? [content] : asList(content))
    .map((block) => (typeof block === 'string' ? { type: 'text', text: block } : asObject(block)))
    .map((block) => (turn.role === 'user' && block.type === 'text' ? { ...block, text: typed(asText(block.text)) } : block));
  const results = blocks.filter(isResultBlock);
  // One record has one meta: with two results in it, nobody can say whose it is.
  const meta = results.length === 1 ? record.tool_use_result ?? record.toolUseResult ?? null : null;
  turn.blocks.push(...blocks);
  for (const block of results) {
    turn.results.push({ block, meta, isError: block.is_error === true, turn, call: null });
  }
}

function isCallBlock(block) {
  return block.type === 'tool_use' || block.type === 'server_tool_use' || block.type === 'mcp_tool_use';
}

// True for tool_result and for the results of tools that the server runs (web_search_tool_result).
function isResultBlock(block) {
  return typeof block.type === 'string' && block.type.endsWith('tool_result');
}

// Returns short words for what the records say about themselves.
function marksOf(records) {
  const marks = [];
  if (records.some((record) => record.isMeta === true || record.isSynthetic === true)) marks.push('meta');
  if (records.some((record) => record.isCompactSummary === true)) marks.push('compact summary');
  return marks;
}

// Returns the first text of a turn that is not blank, or ''.
function textOf(turn) {
  for (const block of turn.blocks) {
    if (block.type === 'text' && /\S/.test(asText(block.text))) return asText(block.text);
  }
  return '';
}

// True when the turn brings results of tools and nothing that a person wrote.
function isResultTurn(turn) {
  return turn.role === 'user' && turn.results.length > 0 && textOf(turn) === '';
}

function isSubagent(turn) {
  return turn.parent !== null || turn.sidechain;
}

function hasError(turn) {
  return turn.apiError || turn.calls.some((call) => call.result?.isError)
    || turn.results.some((result) => result.isError);
}

function isPending(turn) {
  return conversation.complete && turn.calls.some((call) => call.result === null);
}

// Returns the usage of a turn: what the data says, else that of the record with the largest output.
function usageOf(turn) {
  if (isObject(turn.raw.usage)) return turn.raw.usage;
  let best = null;
  for (const record of turn.records) {
    const usage = asObject(record.message).usage;
    if (isObject(usage) && asNumber(usage.output_tokens) >= asNumber(best?.output_tokens)) best = usage;
  }
  return best;
}
