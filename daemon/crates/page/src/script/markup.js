// The markup that the exporter wrote: U+0091 name U+0092 … U+009C around texts, which contain none of these signs. A name is a
// tag with classes and perhaps a value after "|".

const SIGNS = /\x91([^\x92]*)\x92|\x9c/g;
const TAGS = new Set('div span p pre code b em strong del ul ol li table tr td blockquote hr h3 h4 h5 h6 dl dt dd img'.split(' '));
// What the value of an element is, by its tag.
const VALUES = { div: 'data-no', ol: 'start', span: 'aria-label', img: 'src' };

// Returns the texts of a markup alone, for the search; each block starts a line.
const textOf = (markup) => markup.replace(/\x91(div|d[dt]|pre|li|details|span\.(detail|what|change))\b[^\x92]*\x92/g, '\n').replace(SIGNS, '');

// Appends the elements and texts of a markup to `parent`. Folded sections are made when they are asked for: a long text laid out
// at once would stop the page for seconds. Those with a hit of the present search are made at once.
function build(parent, markup) {
  const open = [parent];
  let [at, depth, start] = [0, 0, null];
  for (const found of markup.matchAll(SIGNS)) {
    const [, name] = found;
    const after = found.index + found[0].length;
    depth += name === undefined ? -1 : 1;
    if (start) {
      if (depth >= start.depth) continue;
      const inside = markup.slice(start.at, found.index);
      const hasHit = search.query !== '' && textOf(inside).toLowerCase().includes(search.query);
      open.at(-1).append(fold(start.tag, start.value, (box) => build(box, inside), hasHit));
      start = null;
    } else {
      if (found.index > at) open.at(-1).append(markup.slice(at, found.index));
      const [tag, value] = (name ?? '').split(/\|(.*)/s);
      if (tag.startsWith('details')) start = { depth, tag, value, at: after };
      else if (name !== undefined) open.push(open.at(-1).appendChild(elementOf(tag, value)));
      else if (open.length > 1) open.pop();
    }
    at = after;
  }
  parent.append(markup.slice(at));
  return parent;
}

function elementOf(tag, value) {
  // One capital letter is the kind of a token of code.
  if (tag.length === 1 && tag < 'a') return make(`span.${tag}`);
  const element = make(TAGS.has(tag.split('.', 1)[0]) ? tag : 'span');
  if (!value) return element;
  element.setAttribute(VALUES[element.localName] ?? 'title', value);
  if (element.localName === 'span') element.setAttribute('role', 'img');
  if (element.localName === 'img') element.alt = 'Picture';
  return element;
}
