// Edit, MultiEdit, Write and NotebookEdit: the change as a diff.
const EDIT = {
  target: (input) => shortPath(asText(input.file_path ?? input.notebook_path)),

  outcome(call) {
    if (call.result.isError) return '';
    const lines = changeOf(call);
    return lines ? changeCount(lines) : '';
  },

  show(call) {
    const input = asObject(call.input);
    const lines = changeOf(call);
    const path = asText(input.file_path ?? input.notebook_path ?? metaOf(call).filePath);
    const detail = [metaOf(call).type === 'create' ? 'new file' : '', input.replace_all === true ? 'all occurrences' : '',
      metaOf(call).userModified === true ? 'changed by the user before it was accepted' : ''].filter(Boolean).join(', ');
    return [
      fileLine(path, detail),
      lines?.length ? diffTable(lines) : note('No change in the text.'),
      call.result?.isError || !call.result ? plainResult(call) : fold('Result text', () => plainResult(call)),
    ];
  },
};

// Returns the lines of the change, kept with the call: rows ask for them whenever they scroll in.
function changeOf(call) {
  if (call.change === undefined || call.changeWith !== call.result) {
    call.change = findChange(call);
    call.changeWith = call.result;
  }
  return call.change;
}

// Returns the lines of the change: from the stored patch, else from the strings of the call.
function findChange(call) {
  const input = asObject(call.input);
  const meta = metaOf(call);
  if (Array.isArray(meta.structuredPatch) && meta.structuredPatch.length) return linesOfPatch(meta.structuredPatch);
  if (Array.isArray(input.edits)) {
    return input.edits.map(asObject).flatMap((edit, index) => [
      { sign: '@', text: `@@ edit ${index + 1} @@`, old: null, now: null },
      ...linesOfChange(asText(edit.old_string), asText(edit.new_string)),
    ]);
  }
  if (input.old_string !== undefined || input.new_string !== undefined) {
    return linesOfChange(asText(input.old_string), asText(input.new_string));
  }
  const content = input.content ?? input.new_source;
  if (content === undefined) return null;
  return linesOfChange(asText(meta.originalFile), asText(content), true);
}

// Returns the table of a diff. The signs are text, so colour is not the only difference.
function diffTable(lines) {
  const numbered = lines.some((line) => line.old || line.now);
  const table = make(numbered ? 'table.diff' : 'table.diff.bare', { 'aria-label': `Diff, ${changeCount(lines)}` });
  return make('div.scroll', null, clippedRows(table, lines, diffLine));
}

const DIFF_KINDS = { '+': 'added', '-': 'removed', '@': 'hunk', ' ': 'same' };

function diffLine({ sign, text, old, now, mark }) {
  const [start, end] = mark ?? [0, 0];
  const code = end > start
    ? [text.slice(0, start), make('b', null, text.slice(start, end)), text.slice(end)]
    : text;
  return make(`tr.${DIFF_KINDS[sign]}`, null,
    make('td.no', null, old ? String(old) : ''), make('td.no', null, now ? String(now) : ''),
    make('td.sign', null, sign === '-' ? '\u2212' : sign.replace('@', '')), make('td', null, make('code', null, code)));
}
