'use strict';

// Returns a new element: make('div.row.open', {title: 'x'}, 'text', child, …).
//
// Text of a conversation reaches the page only here and in `appendVisible`, as text nodes:
// no file of this page parses a string as HTML, and the page's policy (Trusted Types) would
// stop one that tried.
function make(selector, properties, ...children) {
  const [name, ...classes] = selector.split('.');
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(' ');
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (/^(aria-|data-|role$|for$)/.test(key)) element.setAttribute(key, visibleText(String(value)));
    else if (typeof value === 'string' && key !== 'value' && key !== 'src') element[key] = visibleText(value);
    else element[key] = value;
  }
  return put(element, ...children);
}

// Appends strings (control characters made visible), nodes and lists of both; skips null and false.
function put(parent, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === '') continue;
    if (child instanceof Node) parent.append(child);
    else appendVisible(parent, String(child));
  }
  return parent;
}

// Returns the page's own element with this id; the skeleton in page.html has all of them.
function part(id) {
  return document.getElementById(id);
}

// Returns a folded section whose content is built when it is opened for the first time.
function fold(title, build, open = false) {
  const details = make('details.fold', { open }, make('summary', null, title));
  let built = false;
  const fill = () => {
    if (built || !details.open) return;
    built = true;
    put(details, build());
    markHits(details);
  };
  fill();
  details.addEventListener('toggle', fill);
  return details;
}

// Returns a list of names and values; pairs without a value are left out.
function facts(pairs) {
  const known = pairs.filter(([, value]) => value !== null && value !== undefined && value !== '');
  if (!known.length) return null;
  return make('dl.facts', null, known.map(([name, value]) =>
    make('div', null, make('dt', null, name), make('dd', null, value instanceof Node ? value : String(value)))));
}
