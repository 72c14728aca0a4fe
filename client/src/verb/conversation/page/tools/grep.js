// Grep: what was found, grouped by file. Glob: the files.
const GREP = {
  target: (input) => [asText(input.pattern), shortPath(asText(input.path ?? input.glob), 32)].filter(Boolean).join(' in '),

  outcome(call) {
    if (call.result.isError) return '';
    const groups = foundIn(call);
    return groups ? plural(groups.length, 'file') : '';
  },

  show(call) {
    const input = asObject(call.input);
    const head = facts(Object.entries(input).map(([name, value]) => [name, asText(value)]));
    const groups = call.result && !call.result.isError ? foundIn(call) : null;
    if (!groups?.length) return [head, plainResult(call)];
    return [head, note(`${plural(groups.length, 'file')}${limited(metaOf(call))}`), groups.slice(0, 200).map(fileGroup)];
  },
};

const GLOB = {
  target: (input) => asText(input.pattern ?? input.path),

  outcome: (call) => (call.result.isError ? '' : plural(filesOf(call).length, 'file')),

  show(call) {
    const input = asObject(call.input);
    const head = facts(Object.entries(input).map(([name, value]) => [name, asText(value)]));
    const files = call.result && !call.result.isError ? filesOf(call) : [];
    if (!files.length) return [head, plainResult(call)];
    const list = make('div.code', { role: 'list' });
    return [head, note(`${plural(files.length, 'file')}${limited(metaOf(call))}`),
      clippedRows(list, files, (path) => make('div.line.path', { role: 'listitem' }, path))];
  },
};

function limited(meta) {
  return meta.truncated === true || meta.appliedLimit ? ', cut by the limit of the call' : '';
}

function filesOf(call) {
  const { filenames } = metaOf(call);
  if (Array.isArray(filenames)) return filenames.map(asText);
  const text = resultText(call.result);
  if (/^No files found/i.test(text)) return [];
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('('));
}

// Returns [{path, lines: [{number, text, hit}]}], or null when the result is not of that shape.
function foundIn(call) {
  const meta = metaOf(call);
  const input = asObject(call.input);
  const mode = asText(meta.mode ?? input.output_mode) || 'files_with_matches';
  const text = typeof meta.content === 'string' && meta.content !== '' ? meta.content : resultText(call.result);
  if (/^No (matches|files) found/i.test(text)) return [];
  if (mode === 'content') return groupByFile(text.split('\n'), asText(input.path));
  if (mode === 'count') {
    return text.split('\n').map((line) => /^(.+):(\d+)$/.exec(line)).filter(Boolean)
      .map(([, path, number]) => ({ path, note: plural(Number(number), 'hit'), lines: [] }));
  }
  const files = Array.isArray(meta.filenames) && meta.filenames.length
    ? meta.filenames.map(asText)
    : text.split('\n').filter((line) => line !== '' && !/^Found \d/.test(line));
  return files.map((path) => ({ path, lines: [] }));
}

// Groups lines like `path:12:text` (a hit), `path-13-text` (its surroundings) and, for a search in
// one file, `12:text`. A line of another shape belongs to the file before it.
function groupByFile(lines, onlyPath) {
  const groups = new Map();
  let last = onlyPath || '(no file)';
  for (const line of lines) {
    if (line === '--' || line === '') continue;
    const long = /^(.+?)([:-])(\d{1,9})\2(.*)$/s.exec(line);
    const short = onlyPath ? /^(\d{1,9})([:-])(.*)$/s.exec(line) : null;
    const noNumber = long || short ? null : /^([^\s:]+):(.*)$/s.exec(line);
    let found;
    if (short) found = [onlyPath, short[1], short[3], short[2] === ':'];
    else if (long) found = [long[1], long[3], long[4], long[2] === ':'];
    else if (noNumber) found = [noNumber[1], '', noNumber[2], true];
    else found = [last, '', line, false];
    const [path, number, text, hit] = found;
    last = path;
    if (!groups.has(path)) groups.set(path, { path, lines: [] });
    groups.get(path).lines.push({ number, text, hit });
  }
  return [...groups.values()];
}

function fileGroup({ path, lines, note: detail }) {
  const hits = lines.filter((line) => line.hit).length;
  return make('div.found', null,
    fileLine(path, detail ?? (hits ? plural(hits, 'hit') : '')),
    lines.length ? clippedRows(make('div.code'), lines, foundLine) : null);
}

function foundLine({ number, text, hit }) {
  return make(hit ? 'div.line.hit' : 'div.line', null, make('span.no', { 'aria-hidden': 'true' }, number), make('code', null, text));
}
