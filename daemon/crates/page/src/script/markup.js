// The markup that the exporter wrote: U+0091 name U+0092 … U+009C around texts, which contain none of these signs. A name is a
// tag with classes and perhaps a value after "|".

const SIGNS = /\x91([^\x92]*)\x92|\x9c/g;
const TAGS = new Set('div span p pre code b em strong del ul ol li table tr td blockquote hr h3 h4 h5 h6 dl dt dd img details more'.split(' '));
// What the value of an element is, by its tag.
const VALUES = { div: 'data-no', ol: 'start', span: 'aria-label', img: 'src' };

// Returns the texts of a markup alone, for the search; each block starts a line.
function textOf(markup) {
  return markup.replace(/\x91div[^\x92]*\x92/g, '\n').replace(SIGNS, '');
}

// Appends the elements and texts of a markup to `parent`.
function build(parent, markup) {
  const signs = new RegExp(SIGNS);
  const open = [parent];
  let at = 0;
  for (let found = signs.exec(markup); found; found = signs.exec(markup)) {
    const top = open[open.length - 1];
    if (found.index > at) top.append(markup.slice(at, found.index));
    if (found[1] === undefined) {
      if (open.length > 1) open.pop();
    } else {
      const [name, value] = splitName(found[1]);
      if (name === 'more' || name === 'details.fold') {
        const end = endOf(markup, signs.lastIndex);
        top.append(lazy(name, value, markup.slice(signs.lastIndex, end)));
        signs.lastIndex = end + 1;
      } else {
        open.push(elementOf(name, value));
        top.append(open[open.length - 1]);
      }
    }
    at = signs.lastIndex;
  }
  parent.append(markup.slice(at));
  return parent;
}

function splitName(name) {
  const bar = name.indexOf('|');
  return bar < 0 ? [name, ''] : [name.slice(0, bar), name.slice(bar + 1)];
}

function elementOf(name, value) {
  // One capital letter is the kind of a token of code.
  if (name.length === 1 && name < 'a') return make(`span.${name}`);
  if (!TAGS.has(name.split('.', 1)[0])) return make('span');
  const element = make(name);
  if (value !== '') {
    element.setAttribute(VALUES[element.localName] ?? 'title', value);
    if (element.localName === 'span') element.setAttribute('role', 'img');
    if (element.localName === 'img') element.alt = 'Picture';
  }
  return element;
}

// Returns where the element whose content starts at `start` ends.
function endOf(markup, start) {
  const signs = new RegExp(SIGNS);
  signs.lastIndex = start;
  let depth = 1;
  for (let found = signs.exec(markup); found; found = signs.exec(markup)) {
    depth += found[1] === undefined ? -1 : 1;
    if (depth === 0) return found.index;
  }
  return markup.length;
}

// Returns a section that is made when it is asked for: a long text laid out at once would stop the page for seconds. One with a
// hit of the present search is made at once.
function lazy(name, title, markup) {
  const hasHit = search.query !== '' && textOf(markup).toLowerCase().includes(search.query);
  if (name === 'details.fold') {
    const details = fold(title, (box) => build(box, markup));
    details.open = hasHit;
    return details;
  }
  const box = make('div.rest');
  if (hasHit) return build(box, markup);
  box.append(make('button.more', { type: 'button', onclick: () => {
    box.replaceChildren();
    markHits(build(box, markup));
  } }, title));
  return box;
}
