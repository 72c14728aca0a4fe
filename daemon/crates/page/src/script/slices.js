// Long work is done in slices, so that the page answers between them. A slice ends after this many milliseconds; the frame that
// follows has the rest of its 16.
const SLICE_MS = 9;
let sliceEnd = 0;

// Ends the present slice if its time is over: the browser has a chance to paint and to handle input. Returns whether it was.
async function endSlice() {
  if (performance.now() < sliceEnd) return false;
  // A message instead of a timer: nested timers are held back by 4 ms each.
  const { port1, port2 } = new MessageChannel();
  await new Promise((resolve) => { port1.onmessage = resolve; port2.postMessage(null); });
  port1.close();
  sliceEnd = performance.now() + SLICE_MS;
  return true;
}
