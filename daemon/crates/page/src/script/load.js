// Reads the data while the browser still receives the page. The script comes before the data, so the first rows are there
// before the last turns have been parsed.

// Calls `onChange` after each slice and at the end.
async function load(onChange) {
  let block = document.currentScript;
  for (;;) {
    const next = block.nextElementSibling;
    const isReceived = document.readyState !== 'loading';
    if (next && (next.nextSibling || isReceived)) {
      // It has arrived as a whole: something follows it.
      block = next;
      await takeInBlock(block, onChange);
    } else if (isReceived) {
      break;
    } else {
      await new Promise((resolve) => { setTimeout(resolve, 10); });
    }
  }
  conversation.complete = true;
  onChange();
}

async function takeInBlock(block, onChange) {
  // The records of turns are read when somebody asks for one.
  if (block.type !== 'application/json') return;
  let data = [];
  try {
    data = JSON.parse(block.textContent);
  } catch {
    conversation.unreadable += 1;
  }
  if (block.id === 'about') conversation.about = { ...conversation.about, ...data };
  else if (block.className === 'masks') conversation.masks += Number(data);
  else for (const [index, turn] of data.entries()) {
    takeIn(turn, { block, index });
    if (await endSlice()) onChange();
  }
  block.replaceChildren();
}

// Returns the records of a turn. Those of a block of turns are in the element after it, compressed.
async function recordsOf({ raw: { block, index } }) {
  try {
    const packed = Uint8Array.from(atob(block.nextElementSibling.textContent), (sign) => sign.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    return (await new Response(stream).json())[index];
  } catch {
    // While the page arrives, they may not be whole.
    return [];
  }
}
