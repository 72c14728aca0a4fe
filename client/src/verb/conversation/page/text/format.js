const WHOLE_NUMBER = new Intl.NumberFormat('en-US');

// Returns a number with thousands separated, the same for every reader's locale.
function count(number) {
  return Number.isFinite(number) ? WHOLE_NUMBER.format(number) : '0';
}

// Returns "1 line", "3 lines".
function plural(number, singular, several = `${singular}s`) {
  return `${count(number)} ${number === 1 ? singular : several}`;
}

// Returns a size in the unit that gives one to three digits before the point.
function bytes(number) {
  if (number < 1000) return `${number} B`;
  if (number < 1e6) return `${(number / 1e3).toFixed(1)} kB`;
  return `${(number / 1e6).toFixed(1)} MB`;
}

// Returns a duration given in milliseconds: "340 ms", "2.5 s", "3 min 20 s".
function duration(milliseconds) {
  if (!Number.isFinite(milliseconds)) return '';
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60000) return `${(milliseconds / 1000).toFixed(1)} s`;
  const minutes = Math.floor(milliseconds / 60000);
  return `${count(minutes)} min ${Math.round((milliseconds % 60000) / 1000)} s`;
}

// Returns US dollars with as many digits as a small amount needs.
function dollars(amount) {
  if (amount === 0) return '$0.00';
  return amount < 0.01 ? `$${amount.toFixed(4)}` : `$${amount.toFixed(2)}`;
}

function twoDigits(number) {
  return String(number).padStart(2, '0');
}

// Returns the reader's local time of a moment in milliseconds; with the day when it is not `day`.
function clockTime(moment, day) {
  if (!Number.isFinite(moment)) return '';
  const date = new Date(moment);
  const hours = `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
  if (day === dayOf(moment)) return `${hours}:${twoDigits(date.getSeconds())}`;
  return `${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())} ${hours}`;
}

// Returns the local day of a moment as "2026-03-01", or '' when there is none.
function dayOf(moment) {
  if (!Number.isFinite(moment)) return '';
  const date = new Date(moment);
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}

// Returns the short name of a model: without "claude-" and without its date.
function shortModel(model) {
  return model.replace(/^claude-/, '').replace(/-20\d{6}/, '');
}

// Returns a path without the folder of the conversation, and of that the last parts that fit into
// `limit` characters.
function shortPath(whole, limit = 48) {
  const folder = `${asText(conversation.about.cwd)}/`;
  const path = folder.length > 1 && whole.startsWith(folder) ? whole.slice(folder.length) : whole;
  if (path.length <= limit) return path;
  const tail = path.slice(-limit);
  const slash = tail.indexOf('/');
  return `\u2026${slash >= 0 && slash < limit - 8 ? tail.slice(slash) : tail}`;
}

// Returns the first `limit` characters of a text as one line.
function gist(text, limit = 120) {
  // Only as much as the line can need is looked at: the text may have megabytes.
  const line = text.slice(0, limit * 8).replace(/\s+/g, ' ').trim();
  const characters = Array.from(line.slice(0, limit * 2));
  const cut = characters.length > limit || line.length > limit * 2 || text.length > limit * 8;
  return characters.slice(0, limit).join('') + (cut ? '\u2026' : '');
}

// Returns the number of lines of a text; a line feed at the end starts no line.
function lineCount(text) {
  if (text === '') return 0;
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return text.endsWith('\n') ? lines - 1 : lines;
}
