// Reads the data while the browser still receives the page. The script comes before the data, so the first rows are there
// before the last turns have been parsed.

const loader = { running: false, next: null, onChange: () => {} };

// Starts reading; `onChange` is called after each slice.
function startLoading(onChange) {
  loader.onChange = onChange;
  loader.next = document.currentScript;
  new MutationObserver(continueLoading).observe(document.body, { childList: true });
  document.addEventListener('DOMContentLoaded', continueLoading);
  continueLoading();
}

async function continueLoading() {
  if (loader.running) return;
  loader.running = true;
  await inSlices(readData(), () => loader.onChange());
  loader.running = false;
  if (document.readyState !== 'loading' && !conversation.complete && nextBlock() === null) {
    completeConversation();
    loader.onChange();
  }
}

// Returns the next element of the data that has arrived as a whole, or null: an element is whole when something follows it or
// when the page has been received to its end.
function nextBlock() {
  const block = loader.next.nextElementSibling;
  if (block === null) return null;
  return block.nextSibling !== null || document.readyState !== 'loading' ? block : null;
}

function* readData() {
  for (let block = nextBlock(); block !== null; block = nextBlock()) {
    loader.next = block;
    if (block.id === 'about') conversation.about = parseBlock(block) ?? conversation.about;
    else if (block.className === 'masks') conversation.masks += parseBlock(block) ?? 0;
    else if (block.className === 'turns') {
      // Their records are in the next element, which is read when somebody asks for one.
      const turns = parseBlock(block) ?? [];
      block.replaceChildren();
      for (const [index, turn] of turns.entries()) {
        takeIn(turn, { get element() { return block.nextElementSibling; }, index });
        yield;
      }
    }
    yield;
  }
}

function parseBlock(block) {
  try {
    return JSON.parse(block.textContent);
  } catch {
    conversation.unreadable += 1;
    return null;
  }
}
