// Read: the lines of a file with their numbers.
const READ = {
  target: (input) => shortPath(asText(input.file_path ?? input.notebook_path)),

  outcome(call) {
    if (call.result.isError) return '';
    const file = asObject(metaOf(call).file);
    if (file.base64) return 'image';
    const lines = file.numLines ?? numberedLines(call).length;
    return lines ? plural(asNumber(lines), 'line') : '';
  },

  show(call) {
    const input = asObject(call.input);
    const file = asObject(metaOf(call).file);
    const path = asText(file.filePath ?? input.file_path ?? input.notebook_path);
    if (!call.result || call.result.isError) return [fileLine(path, wantedLines(input)), plainResult(call)];
    const picture = typeof file.base64 === 'string' ? dataImage(file.type, file.base64) : null;
    if (picture) return [fileLine(path), picture];
    const lines = numberedLines(call);
    if (!lines.length) return [fileLine(path, wantedLines(input)), plainResult(call)];
    return [fileLine(path, rangeOf(lines, file)), clippedRows(make('div.code'), lines, numberedLine)];
  },
};

function wantedLines(input) {
  if (input.offset === undefined && input.limit === undefined) return '';
  return `from line ${asText(input.offset ?? 1)}${input.limit === undefined ? '' : `, at most ${asText(input.limit)} lines`}`;
}

// Returns "lines 3–40 of 120".
function rangeOf(lines, file) {
  const range = `lines ${count(lines[0].number)}\u2013${count(lines.at(-1).number)}`;
  return file.totalLines === undefined ? range : `${range} of ${count(asNumber(file.totalLines))}`;
}

// Returns [{number, text}] from the details of the result, else from the numbers that Claude Code
// writes before each line, else [].
function numberedLines(call) {
  const file = asObject(metaOf(call).file);
  if (typeof file.content === 'string') {
    const start = Number.isInteger(file.startLine) ? file.startLine : 1;
    // numLines counts an empty last line, which the text ends in.
    const lines = file.content.split('\n');
    return lines.map((text, index) => ({ number: start + index, text }));
  }
  const lines = resultText(call.result).split('\n').map((line) => /^\s*(\d{1,9})[\t\u2192](.*)$/su.exec(line));
  const known = lines.filter(Boolean);
  // A reminder of the program may follow the file; a text of another kind has no numbers at all.
  if (known.length * 2 < lines.length) return [];
  return known.map(([, number, text]) => ({ number: Number(number), text }));
}

function numberedLine({ number, text }) {
  return make('div.line', null, make('span.no', { 'aria-hidden': 'true' }, String(number)), make('code', null, text));
}
