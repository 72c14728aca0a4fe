// Yields [where, text] of everything in a turn that a search looks at.
function* searchable(turn) {
  for (const block of turn.blocks) {
    if (isCallBlock(block)) {
      const call = conversation.calls.get(block.callId);
      yield* ofCall(call, turn);
      // The result is searched in its own row; without that row, in the call that shows it.
      if (call.result && call.result.turn !== turn && call.result.turn.row < 0) yield* ofResult(call.result);
    } else if (isResultBlock(block)) {
      const result = turn.results.find((other) => other.block === block);
      if (result.call.turn !== turn) yield ['tool', result.call.name];
      yield* ofResult(result);
    } else if (block.type === 'text') yield ['text', asText(block.text)];
    else if (block.type === 'thinking') yield ['thinking', asText(block.thinking)];
    else if (block.type === 'redacted_thinking' || block.type === 'image') continue;
    else if (block.type === 'document') yield ['document', asText(asObject(block.source).type === 'text' ? block.source.data : block.title)];
    else for (const text of leavesOf(block)) yield ['other', text];
  }
}

function* ofCall(call, turn) {
  // A repeated call belongs to the turn that made it first.
  if (call.turn !== turn) return;
  yield ['tool', call.name];
  for (const text of leavesOf(call.input)) yield [`${call.name} input`, text];
}

function* ofResult(result) {
  const where = `${result.call.name || 'unknown'} result`;
  for (const item of resultParts(result)) {
    if (item.type === 'text') yield [where, asText(item.text)];
    else if (item.type !== 'image') for (const text of leavesOf(item)) yield [where, text];
  }
  yield* ofDetails(asObject(result.meta), where);
}

// The details repeat the content and whole files as they were before an edit; only what the page
// shows of them and the content lacks is searched.
function* ofDetails(meta, where) {
  for (const path of [asObject(meta.file).filePath, meta.filePath, meta.prompt, meta.status, meta.result]) {
    if (typeof path === 'string') yield [where, path];
  }
  for (const path of asList(meta.filenames)) if (typeof path === 'string') yield [where, path];
  if (meta.persistedOutputPath || meta.stderr) yield* [[where, asText(meta.stdout)], [where, asText(meta.stderr)]];
  const hunks = [...asList(meta.structuredPatch), ...asList(asObject(meta.bashEditDiff).files).flatMap((file) => asList(asObject(file).hunks))];
  for (const hunk of hunks) yield [where, asList(asObject(hunk).lines).map(asText).join('\n')];
  for (const file of asList(asObject(meta.bashEditDiff).files)) yield [where, asText(asObject(file).filePath)];
  for (const todo of [...asList(meta.oldTodos), ...asList(meta.newTodos)]) yield [where, asText(asObject(todo).content)];
}
