// The markdown that Claude writes: headings, lists, quotes, tables, code blocks, rules and
// paragraphs. Built as nodes; HTML in the text stays text.

// Lists and quotes deeper than this are shown as the text they are.
const MAX_DEPTH = 12;
// A longer text is shown as plain text, piece by piece.
const MAX_MARKDOWN = 60000;

const FENCE = /^(\s{0,3})(`{3,}|~{3,})\s*([^\s`]*)/;
const HEADING = /^\s{0,3}(#{1,6})\s+(.*)$/s;
const RULE = /^\s{0,3}([-*_])(?:\s*\1){2,}\s*$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])(\s+)(?=\S)/;
const QUOTE = /^\s{0,3}>\s?/;
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

// Returns the text as markdown, or as clipped plain text when it is very long.
function longMarkdown(text) {
  return text.length > MAX_MARKDOWN ? clippedText(text, 'prose') : markdown(text);
}

function markdown(text) {
  return blocksInto(make('div.markdown'), text.split(/\r?\n/), 0);
}

function blocksInto(parent, lines, depth) {
  for (let at = 0; at < lines.length;) {
    if (lines[at].trim() === '') at += 1;
    else at = blockInto(parent, lines, at, depth);
  }
  return parent;
}

// Appends the block that starts at a line that is not blank; returns the line after it.
function blockInto(parent, lines, at, depth) {
  const line = lines[at];
  const heading = HEADING.exec(line);
  if (FENCE.test(line)) return fenceInto(parent, lines, at);
  if (heading) {
    // The row itself has the page's headings; these continue below them.
    const level = Math.min(heading[1].length + 2, 6);
    parent.append(inlineInto(make(`h${level}`), heading[2].replace(/\s#+\s*$/, '')));
    return at + 1;
  }
  if (RULE.test(line)) {
    parent.append(make('hr'));
    return at + 1;
  }
  if (depth < MAX_DEPTH && QUOTE.test(line)) return quoteInto(parent, lines, at, depth);
  if (depth < MAX_DEPTH && ITEM.test(line)) return listInto(parent, lines, at, depth);
  if (line.includes('|') && TABLE_RULE.test(lines[at + 1] ?? '') && lines[at + 1].includes('-')) return tableInto(parent, lines, at);
  let end = at + 1;
  while (end < lines.length && !startsBlock(lines[end], depth)) end += 1;
  parent.append(inlineInto(make('p'), lines.slice(at, end).join('\n')));
  return end;
}

function startsBlock(line, depth) {
  return line.trim() === '' || FENCE.test(line) || HEADING.test(line) || RULE.test(line)
    || (depth < MAX_DEPTH && (QUOTE.test(line) || ITEM.test(line)));
}

function fenceInto(parent, lines, at) {
  const [, indent, fence, language] = FENCE.exec(lines[at]);
  let end = at + 1;
  while (end < lines.length && !(lines[end].trim().startsWith(fence) && /^[`~]+$/.test(lines[end].trim()))) end += 1;
  const text = lines.slice(at + 1, end).map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line)).join('\n');
  parent.append(make('div.fence', null, language ? make('div.language', null, language) : null, clippedText(text)));
  return end + 1;
}

function quoteInto(parent, lines, at, depth) {
  let end = at;
  while (end < lines.length && QUOTE.test(lines[end])) end += 1;
  const inner = lines.slice(at, end).map((line) => line.replace(QUOTE, ''));
  parent.append(blocksInto(make('blockquote'), inner, depth + 1));
  return end;
}

// A list goes on while its items have the same indent; what is indented more belongs to an item.
function listInto(parent, lines, at, depth) {
  const [, indent, sign] = ITEM.exec(lines[at]);
  const list = make(/\d/.test(sign) ? 'ol' : 'ul');
  if (/\d/.test(sign)) list.start = parseInt(sign, 10);
  parent.append(list);
  while (at < lines.length) {
    const item = ITEM.exec(lines[at]);
    if (!item || item[1].length !== indent.length || /\d/.test(item[2]) !== /\d/.test(sign)) break;
    const inner = [lines[at].slice(item[0].length)];
    const width = item[1].length + 1;
    at += 1;
    while (at < lines.length && (belongsToItem(lines[at], width) || (lines[at].trim() === '' && belongsToItem(lines[at + 1] ?? '', width)))) {
      inner.push(lines[at].slice(Math.min(item[0].length, lines[at].search(/\S|$/))));
      at += 1;
    }
    list.append(blocksInto(make('li'), taskSign(inner), depth + 1));
    while (at + 1 < lines.length && lines[at].trim() === '' && ITEM.exec(lines[at + 1])?.[1].length === indent.length) at += 1;
  }
  return at;
}

function belongsToItem(line, width) {
  return line.trim() !== '' && line.search(/\S/) >= width;
}

function taskSign(lines) {
  lines[0] = lines[0].replace(/^\[ \]\s/, '\u2610 ').replace(/^\[[xX]\]\s/, '\u2611 ');
  return lines;
}

function tableInto(parent, lines, at) {
  let end = at + 2;
  while (end < lines.length && lines[end].includes('|') && lines[end].trim() !== '') end += 1;
  const row = (line, cell) => make('tr', null, cellsOf(line).map((text) => inlineInto(make(cell), text)));
  parent.append(make('div.scroll', null, make('table', null,
    make('thead', null, row(lines[at], 'th')),
    make('tbody', null, lines.slice(at + 2, end).map((line) => row(line, 'td'))))));
  return end;
}

function cellsOf(line) {
  return line.trim().replace(/^\||\|$/g, '').split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}
