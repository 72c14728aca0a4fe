// Bash: the command, its output and its exit code.
const BASH = {
  target: (input) => asText(input.command),

  outcome(call) {
    const meta = metaOf(call);
    const exit = exitCode(call);
    if (meta.interrupted === true) return 'interrupted';
    if (meta.backgroundTaskId) return 'in background';
    if (exit !== null && exit !== 0) return `exit ${exit}`;
    const lines = lineCount(outputOf(call));
    return lines ? plural(lines, 'line') : '';
  },

  show(call) {
    const input = asObject(call.input);
    const others = Object.entries(input).filter(([name]) => name !== 'command' && name !== 'description');
    return [
      input.description ? note(asText(input.description)) : null,
      clippedText(`$ ${asText(input.command)}`, 'command'),
      facts(others.map(([name, value]) => [name, asText(value)])),
      call.result ? bashResult(call) : awaiting(),
    ];
  },
};

// Returns the exit code: 0 for a success, null when nothing says it.
function exitCode(call) {
  const meta = metaOf(call);
  for (const value of [meta.exitCode, meta.exit_code, meta.returnCode]) if (Number.isInteger(value)) return value;
  const found = /^(?:Error: )?Exit code (\d+)/.exec(resultText(call.result).slice(0, 100));
  if (found) return Number(found[1]);
  return call.result.isError || meta.interrupted || meta.backgroundTaskId ? null : 0;
}

// Returns the output, standard output and error apart only when the details have both.
function outputOf(call) {
  const meta = metaOf(call);
  if (typeof meta.stdout === 'string' && !call.result.isError) return asText(meta.stdout) + asText(meta.stderr);
  return resultText(call.result).replace(/^Exit code \d+\n?/, '');
}

function bashResult(call) {
  const meta = metaOf(call);
  const exit = exitCode(call);
  const shown = [];
  if (call.result.isError || typeof meta.stdout !== 'string') {
    const text = outputOf(call);
    if (text !== '') shown.push(clippedText(text, call.result.isError ? 'failed' : ''));
  } else {
    if (meta.stdout !== '') shown.push(clippedText(asText(meta.stdout)));
    if (asText(meta.stderr) !== '') shown.push(note('Standard error'), clippedText(asText(meta.stderr), 'failed'));
  }
  if (!shown.length) shown.push(meta.backgroundTaskId || meta.isImage ? plainResult(call) : note('No output.'));
  const saved = meta.persistedOutputPath
    ? `${asText(meta.persistedOutputPath)} (${bytes(asNumber(meta.persistedOutputSize))})` : null;
  return [
    shown,
    facts([['exit code', exit], ['interrupted', meta.interrupted === true ? 'yes' : null],
      ['background task', meta.backgroundTaskId], ['whole output', saved], ['means', meta.returnCodeInterpretation]]),
    asList(asObject(meta.bashEditDiff).files).map(asObject).map(changedFile),
  ];
}

function changedFile(file) {
  const lines = linesOfPatch(asList(file.hunks));
  const kind = file.created === true ? 'created, ' : file.deleted === true ? 'deleted, ' : '';
  return make('div.found', null, fileLine(asText(file.filePath), kind + changeCount(lines)), lines.length ? diffTable(lines) : null);
}
