// Long work is done in slices, so that the page answers between them. A slice ends after this many
// milliseconds; the frame that follows has the rest of its 16.
const SLICE_MS = 9;

// Returns a promise that resolves after the browser had a chance to paint and to handle input.
// A message instead of a timer: nested timers are held back by 4 ms each.
function nextTask() {
  return new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => { channel.port1.close(); resolve(); };
    channel.port2.postMessage(null);
  });
}

// Runs a generator to its end in slices. `afterSlice` is called after each one; when it returns
// false, the work is given up. Returns whether the end was reached.
async function inSlices(work, afterSlice) {
  for (;;) {
    const end = performance.now() + SLICE_MS;
    let done = false;
    while (!done && performance.now() < end) done = work.next().done;
    if (afterSlice(done) === false) return false;
    if (done) return true;
    await nextTask();
  }
}
