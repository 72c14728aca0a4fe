'use strict';

// Returns a new element: make('div.row.open', {title: 'x'}, 'text', child, …).
//
// Text of a conversation reaches the page only here and in `build`, as text nodes: no file of this page parses a string as
// HTML, and the page's policy (Trusted Types) would stop one that tried.
function make(selector, properties, ...children) {
  const [name, ...classes] = selector.split('.');
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(' ');
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (/^(aria-|data-|role$)/.test(key)) element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false && child !== ''));
  return element;
}

// Returns the page's own element with this id; the skeleton in page.html has all of them.
function part(id) {
  return document.getElementById(id);
}

// Returns a folded section whose content is made when it is opened for the first time.
function fold(title, fill) {
  const details = make('details.fold', null, make('summary', null, title));
  details.addEventListener('toggle', () => {
    if (!details.open || details.childElementCount > 1) return;
    fill(details);
    markHits(details);
  });
  return details;
}

// Returns a list of names and values; pairs without a value are left out.
function facts(pairs) {
  return make('dl.facts', null, pairs.filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => make('div', null, make('dt', null, name), make('dd', null, value))));
}
