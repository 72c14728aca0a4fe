const WHOLE_NUMBER = new Intl.NumberFormat('en-US');

// Returns a number with thousands separated, the same for every reader's locale.
const count = (number) => WHOLE_NUMBER.format(number);

const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);

// Returns "1 line", "3 lines".
const plural = (number, singular) => `${count(number)} ${singular}${number === 1 ? '' : 's'}`;

// Returns a duration given in milliseconds: "340 ms", "2.5 s", "3 min 20 s", "2 h 5 min".
function duration(ms) {
  if (!Number.isFinite(ms)) return '';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60000);
  if (minutes < 60) return `${minutes} min ${Math.floor((ms % 60000) / 1000)} s`;
  return `${count(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}

// Returns US dollars with as many digits as a small amount needs.
const dollars = (amount) => `$${amount.toFixed(amount > 0 && amount < 0.01 ? 4 : 2)}`;

// Returns the cost, if one is known; "+" after it when something has no known price.
const costText = ({ cost, priced, unpriced }) => priced ? dollars(cost) + (unpriced ? '+' : '') : '\u2013';

// Returns the reader's local time of a moment in milliseconds; with the day when it is not `day`.
function clockTime(moment, day) {
  if (!Number.isFinite(moment)) return '';
  // The Swedish form is "2026-03-01 10:02:00".
  const time = new Date(moment).toLocaleString('sv');
  return time.slice(day && time.startsWith(day) ? 11 : 0, 16);
}

// Returns the short name of a model: without "claude-" and without its date.
const shortModel = (model) => model.replace(/^claude-/, '').replace(/-20\d{6}/, '');
