// Long texts are put into the page piece by piece: a tool's output may have megabytes, and laying
// them out at once would stop the page for seconds.
const FIRST_LINES = 40;
const FIRST_CHARACTERS = 12000;
const NEXT_LINES = 3000;
const NEXT_CHARACTERS = 120000;
// Around a search hit beyond the first piece, this much is shown before and after it.
const HIT_CHARACTERS = 1500;

// Adds pieces to `box`: `add(first)` appends the next one and returns its node, `left()` says what
// is not shown yet, '' at the end.
function inPieces(box, add, left) {
  add(true);
  if (!left()) return box;
  const more = make('button.more', { type: 'button' });
  const name = () => { more.textContent = `Show more (${left()} left)`; };
  more.addEventListener('click', () => {
    markHits(add(false));
    if (left()) name();
    else more.remove();
  });
  name();
  return make('div', null, box, more);
}

// Returns where a piece that starts at `start` ends: after so many lines or characters, never
// inside a pair of surrogates.
function pieceEnd(text, start, lines, characters) {
  let end = start;
  for (let line = 0; line < lines; line += 1) {
    const feed = text.indexOf('\n', end);
    if (feed < 0) { end = text.length; break; }
    end = feed + 1;
    if (end - start > characters) break;
  }
  if (end - start > characters) end = start + characters;
  const last = text.charCodeAt(end - 1);
  if (end < text.length && last >= 0xd800 && last < 0xdc00) end -= 1;
  return Math.max(end, Math.min(start + 1, text.length));
}

// Returns a block of preformatted text that shows its beginning and grows on request.
function clippedText(text, kind = '') {
  const box = make(`pre.text${kind && `.${kind}`}`);
  let shown = 0;
  const add = (first) => {
    const end = first
      ? pieceEnd(text, shown, FIRST_LINES, FIRST_CHARACTERS)
      : pieceEnd(text, shown, NEXT_LINES, NEXT_CHARACTERS);
    // The line feed that ends a piece is left out: each piece is a block and starts a new line.
    const cut = end < text.length && text[end - 1] === '\n' ? end - 1 : end;
    const piece = make(text[end - 1] === '\n' || end === text.length ? 'div' : 'span', null, text.slice(shown, cut));
    shown = end;
    box.append(piece);
    return piece;
  };
  const grown = inPieces(box, add, () => (shown < text.length ? bytes(text.length - shown) : ''));
  const excerpt = excerptOfHit(text, shown);
  return excerpt ? make('div', null, grown, excerpt) : grown;
}

// Returns the surroundings of the first search hit after `shown`, or null when an earlier part
// already has one.
function excerptOfHit(text, shown) {
  if (shown >= text.length || !search.query) return null;
  if (indexOfLower(text.slice(0, shown), search.query) >= 0) return null;
  const hit = indexOfLower(text, search.query);
  if (hit < 0) return null;
  const start = Math.max(shown, hit - HIT_CHARACTERS);
  return make('div.excerpt', null,
    make('div.note', null, `Search hit further down, line ${count(lineCount(text.slice(0, hit)) || 1)}:`),
    make('pre.text', null, text.slice(start, hit + search.query.length + HIT_CHARACTERS)));
}

// Returns rows made one by one, the first ones at once and the rest on request.
function clippedRows(box, rows, makeRow) {
  let shown = 0;
  const add = (first) => {
    const group = make(box.tagName === 'TABLE' ? 'tbody' : 'div');
    const end = Math.min(rows.length, shown + (first ? FIRST_LINES * 2 : NEXT_LINES));
    for (; shown < end; shown += 1) group.append(makeRow(rows[shown], shown));
    box.append(group);
    return group;
  };
  return inPieces(box, add, () => (shown < rows.length ? plural(rows.length - shown, 'line') : ''));
}
