// Put into an exported page before its own scripts: notes the frames, and uses the page as a reader does. All times are
// milliseconds; 0 is the start of the navigation.

const probe = { frames: [], painted: 0, loaded: 0 };

(function note(moment) {
  probe.frames.push(moment);
  if (!probe.painted && document.querySelector('#window > .row')) {
    probe.painted = moment;
    // This frame has the first turns; a message comes after it has been made.
    const channel = new MessageChannel();
    channel.port1.onmessage = () => { probe.painted = performance.now(); channel.port1.close(); };
    channel.port2.postMessage(null);
  }
  if (!probe.loaded && document.readyState === 'complete' && document.querySelector('#state').textContent === '') {
    probe.loaded = performance.now();
  }
  requestAnimationFrame(note);
})(performance.now());

function nextFrame() {
  return new Promise(requestAnimationFrame);
}

// Returns [first turns painted, all turns read].
async function loadTimes() {
  while (!probe.loaded) await nextFrame();
  return [probe.painted, probe.loaded];
}

function forgetFrames() {
  probe.frames = [];
}

// Returns the longest time from one frame to the next since the last `forgetFrames`. Frames that follow a scroll count.
async function longestFrame() {
  for (let rest = 0; rest < 20; rest += 1) await nextFrame();
  return Math.max(...probe.frames.slice(1).map((moment, index) => moment - probe.frames[index]));
}

// Drags the bar from top to bottom in so many frames.
async function drag(frames) {
  const scroller = document.querySelector('#scroller');
  scroller.scrollTop = 0;
  await nextFrame();
  forgetFrames();
  for (let frame = 1; frame <= frames; frame += 1) {
    scroller.scrollTop = scroller.scrollHeight * frame / frames;
    await nextFrame();
  }
  return longestFrame();
}

// Searches as Enter does in the field; returns the time until all turns were looked through, and what the field says.
async function searchTime(text) {
  const query = document.querySelector('#query');
  const hits = document.querySelector('#hits');
  query.value = text;
  const start = performance.now();
  query.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
  while (hits.textContent === '' || hits.textContent.includes('+')) await new Promise((done) => setTimeout(done));
  return [performance.now() - start, hits.textContent];
}
