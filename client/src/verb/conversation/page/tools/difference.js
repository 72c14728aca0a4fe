// Lines of a diff: {sign: ' ' | '-' | '+', text, old, now, mark}; `old` and `now` are line numbers
// or null, `mark` the part of the line that changed.

// Beyond this many pairs of lines the comparison would take too long for a click; the old lines
// are then all removed and the new ones added.
const MAX_COMPARISONS = 1e6;

// Returns the lines of the hunks that Claude Code stores, with a line of sign '@' before each hunk
// that does not start where the last one ended.
function linesOfPatch(hunks) {
  const lines = [];
  for (const hunk of hunks.map(asObject)) {
    let old = asNumber(hunk.oldStart);
    let now = asNumber(hunk.newStart);
    if (lines.length || old > 1) lines.push({ sign: '@', text: `@@ line ${count(now)} @@`, old: null, now: null });
    for (const line of asList(hunk.lines).map(asText)) {
      const sign = line[0] === '+' || line[0] === '-' ? line[0] : ' ';
      if (line[0] === '\\') continue;
      lines.push({ sign, text: line.slice(1), old: sign === '+' ? null : old, now: sign === '-' ? null : now });
      if (sign !== '+') old += 1;
      if (sign !== '-') now += 1;
    }
  }
  return withMarks(lines);
}

// Returns the lines of the change from one text to another; `numbered` when they are whole files.
function linesOfChange(before, after, numbered = false) {
  const old = linesOfText(before);
  const now = linesOfText(after);
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const lines = [
    ...old.slice(0, start).map((text) => ({ sign: ' ', text })),
    ...compared(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...old.slice(old.length - end).map((text) => ({ sign: ' ', text })),
  ];
  let oldNumber = 1;
  let nowNumber = 1;
  for (const line of lines) {
    line.old = numbered && line.sign !== '+' ? oldNumber : null;
    line.now = numbered && line.sign !== '-' ? nowNumber : null;
    if (line.sign !== '+') oldNumber += 1;
    if (line.sign !== '-') nowNumber += 1;
  }
  return withMarks(lines);
}

function linesOfText(text) {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

// Returns the lines of the longest common subsequence with what was removed and added between.
function compared(old, now) {
  if (old.length * now.length > MAX_COMPARISONS) {
    return [...old.map((text) => ({ sign: '-', text })), ...now.map((text) => ({ sign: '+', text }))];
  }
  const width = now.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      common[i * width + j] = old[i] === now[j]
        ? common[(i + 1) * width + j + 1] + 1
        : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  const lines = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push({ sign: ' ', text: old[i] });
      i += 1;
      j += 1;
    } else if (i < old.length && (j >= now.length || common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      lines.push({ sign: '-', text: old[i] });
      i += 1;
    } else {
      lines.push({ sign: '+', text: now[j] });
      j += 1;
    }
  }
  return lines;
}

// Marks the changed part of each removed line and its successor, where as many lines were added as
// removed and the two have something in common.
function withMarks(lines) {
  for (let at = 0; at < lines.length;) {
    const removed = runOf(lines, at, '-');
    const added = runOf(lines, at + removed, '+');
    if (removed > 0 && removed === added) {
      for (let index = at; index < at + removed; index += 1) markPair(lines[index], lines[index + removed]);
    }
    at += Math.max(removed + added, 1);
  }
  return lines;
}

function runOf(lines, from, sign) {
  let length = 0;
  while (lines[from + length]?.sign === sign) length += 1;
  return length;
}

function markPair(one, other) {
  const shorter = Math.min(one.text.length, other.text.length);
  let start = 0;
  while (start < shorter && one.text[start] === other.text[start]) start += 1;
  let end = 0;
  while (end < shorter - start && one.text.at(-1 - end) === other.text.at(-1 - end)) end += 1;
  if ((start + end) * 3 < shorter) return;
  one.mark = [start, one.text.length - end];
  other.mark = [start, other.text.length - end];
}

// Returns "+3 −1".
function changeCount(lines) {
  const added = lines.filter((line) => line.sign === '+').length;
  const removed = lines.filter((line) => line.sign === '-').length;
  return `+${count(added)} \u2212${count(removed)}`;
}
