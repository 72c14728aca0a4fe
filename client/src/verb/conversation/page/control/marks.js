// At most so many hits are marked in one row: a search for "e" in a long output would make
// hundreds of thousands of elements.
const MAX_MARKS = 500;

// Marks the hits of the present search in the texts below `root` and opens the folded sections
// that have one. The heads of rows mark theirs themselves.
function markHits(root) {
  if (search.query === '' || !root) return;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, {
    acceptNode: (node) => (isMarkable(node.parentElement) ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_REJECT),
  });
  const found = [];
  for (let node = walker.nextNode(); node && found.length < MAX_MARKS; node = walker.nextNode()) {
    const lower = node.data.toLowerCase();
    // Few letters change their length in lower case; their texts are left unmarked.
    if (lower.length === node.data.length && lower.includes(search.query)) found.push([node, lower]);
  }
  let marks = 0;
  for (const [node, lower] of found) {
    if (marks >= MAX_MARKS) break;
    marks += markText(node, lower, MAX_MARKS - marks);
  }
}

function isMarkable(element) {
  return element !== null && !element.closest('mark, .head, .no, button, .foot > dl');
}

function markText(node, lower, most) {
  const pieces = document.createDocumentFragment();
  const { query } = search;
  let at = 0;
  let marks = 0;
  for (let hit = lower.indexOf(query); hit >= 0 && marks < most; hit = lower.indexOf(query, at)) {
    pieces.append(node.data.slice(at, hit));
    at = hit + query.length;
    const mark = document.createElement('mark');
    mark.append(node.data.slice(hit, at));
    pieces.append(mark);
    marks += 1;
  }
  pieces.append(node.data.slice(at));
  for (let fold = node.parentElement.closest('details'); fold; fold = fold.parentElement?.closest('details')) fold.open = true;
  node.replaceWith(pieces);
  return marks;
}
