// Reading of values that may have any type: a transcript is another program's file.

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Returns the value if it is an object, else an empty one: fields can be read from the result.
function asObject(value) {
  return isObject(value) ? value : {};
}

function asList(value) {
  return Array.isArray(value) ? value : [];
}

// Returns a string without control sequences, nothing as '', everything else as JSON.
function asText(value) {
  if (typeof value === 'string') return withoutSequences(value);
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? prettyJson(value) : String(value);
}

// Returns a number that can be added; all else counts 0.
function asNumber(value) {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

// Returns indented JSON. A value too deeply nested for the engine is named instead of thrown.
function prettyJson(value) {
  try {
    return JSON.stringify(value, null, 2) ?? '';
  } catch (error) {
    return `(cannot be shown as JSON: ${error.message})`;
  }
}

// Yields every string and number below a value, in order, without recursion. Names of fields are
// left out: a search for "command" should find what was run, not each Bash call.
function* leavesOf(value) {
  const waiting = [value];
  while (waiting.length) {
    const next = waiting.pop();
    if (typeof next === 'string') yield withoutSequences(next);
    else if (typeof next === 'number') yield String(next);
    else if (typeof next === 'object' && next !== null) {
      const inner = Object.values(next);
      for (let index = inner.length - 1; index >= 0; index -= 1) waiting.push(inner[index]);
    }
  }
}
