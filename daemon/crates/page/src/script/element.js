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
  element.append(...children.flat(Infinity).filter(Boolean));
  return element;
}

// Returns the page's own element with this id; the skeleton in page.html has all of them.
const part = (id) => document.getElementById(id);

// Returns a section whose content is made when it is opened, and dropped when it is closed.
function fold(name, title, fill, open = false) {
  const summary = make('summary', null, title);
  const details = make(name, { open }, summary);
  const update = () => {
    if (!details.open) details.replaceChildren(summary);
    else if (details.childElementCount === 1) markHits(fill(details));
  };
  details.addEventListener('toggle', update);
  update();
  return details;
}
