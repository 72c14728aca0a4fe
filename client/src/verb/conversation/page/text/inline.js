// Inline markdown: code, bold, italic, struck, links. A link is shown as its text and its target,
// because a page from a conversation must not lead a reader anywhere by a click.

const SPECIAL = /[`*_~[\\]/g;
const LINK = /\[([^\]\n]{0,400})\]\(<?([^)\s>]{1,2000})>?(?:\s+"[^"\n]{0,400}")?\)/y;
const STYLES = new Map([['**', 'strong'], ['__', 'strong'], ['~~', 'del'], ['*', 'em'], ['_', 'em']]);

// Appends `text` with its inline marks to `parent`.
function inlineInto(parent, text, depth = 0) {
  // Marks for which no end was found: none is searched again, or a line of a thousand asterisks
  // would be searched a thousand times.
  const open = new Set();
  let plain = '';
  const flush = () => { put(parent, plain); plain = ''; };
  let at = 0;
  while (at < text.length) {
    SPECIAL.lastIndex = at;
    const special = SPECIAL.exec(text);
    if (!special) break;
    plain += text.slice(at, special.index);
    at = special.index;
    const found = depth > 3 ? null : markAt(text, at, open);
    if (found) {
      flush();
      parent.append(found.node(depth));
      at = found.end;
    } else if (text[at] === '\\' && /[!-/:-@[-`{-~]/.test(text[at + 1] ?? '')) {
      plain += text[at + 1];
      at += 2;
    } else {
      const run = runLength(text, at);
      plain += text.slice(at, at + run);
      at += run;
    }
  }
  plain += text.slice(at);
  flush();
  return parent;
}

function runLength(text, at) {
  let end = at + 1;
  while (text[end] === text[at] && text[at] !== '[' && text[at] !== '\\') end += 1;
  return end - at;
}

// Returns {node, end} of the mark that begins at `at`, or null when it is plain text.
function markAt(text, at, open) {
  if (text[at] === '`') return codeAt(text, at, open);
  if (text[at] === '[') return linkAt(text, at);
  const run = runLength(text, at);
  for (const mark of [text[at].repeat(2), text[at]]) {
    if (run < mark.length || !STYLES.has(mark) || open.has(mark)) continue;
    const end = closing(text, at, mark);
    if (end < 0) {
      open.add(mark);
      continue;
    }
    if (end === 0) continue;
    const inner = text.slice(at + mark.length, end);
    return { node: (depth) => inlineInto(make(STYLES.get(mark)), inner, depth + 1), end: end + mark.length };
  }
  return null;
}

// Returns where the mark that begins at `at` ends, 0 when it does not begin there, -1 when no end
// follows. Underscores inside words are parts of names.
function closing(text, at, mark) {
  const start = at + mark.length;
  if (!/\S/.test(text[start] ?? ' ')) return 0;
  if (mark[0] === '_' && /\w/.test(text[at - 1] ?? '')) return 0;
  // 2*3*4 is arithmetic more often than a cursive 3.
  if (mark === '*' && /\w/.test(text[at - 1] ?? '')) return 0;
  for (let end = text.indexOf(mark, start + 1); end >= 0; end = text.indexOf(mark, end + 1)) {
    const after = text[end + mark.length] ?? ' ';
    if (/\s/.test(text[end - 1])) continue;
    if (mark.length === 1 && (after === mark || text[end - 1] === mark)) continue;
    if (mark[0] === '_' && /\w/.test(after)) continue;
    return end;
  }
  return -1;
}

function codeAt(text, at, open) {
  const fence = '`'.repeat(runLength(text, at));
  if (open.has(fence)) return null;
  for (let end = text.indexOf(fence, at + fence.length); end >= 0; end = text.indexOf(fence, end + 1)) {
    const run = runLength(text, end);
    if (run === fence.length) {
      const code = text.slice(at + fence.length, end);
      const inner = /^ .*\S.* $/s.test(code) ? code.slice(1, -1) : code;
      return { node: () => make('code', null, inner), end: end + run };
    }
    end += run - 1;
  }
  open.add(fence);
  return null;
}

function linkAt(text, at) {
  LINK.lastIndex = at;
  const found = LINK.exec(text);
  if (!found) return null;
  const [all, label, target] = found;
  const node = (depth) => make('span.link', null,
    label === '' || label === target ? null : inlineInto(make('span'), label, depth + 1),
    make('span.address', null, label === '' || label === target ? target : ` (${target})`));
  return { node, end: at + all.length };
}
