// Any other tool: the values of its input and its result as they are.
const OTHER = {
  // The first short text of the input says most often what the call is about.
  target: (input) => Object.values(input).find((value) => typeof value === 'string' && value !== '') ?? '',

  outcome: (call) => {
    const lines = call.result.isError ? 0 : lineCount(resultText(call.result));
    return lines > 1 ? plural(lines, 'line') : '';
  },

  show: (call) => [
    inputValues(call.input),
    make('div.label', null, 'Result'),
    plainResult(call),
    call.result && call.result.meta !== null && typeof call.result.meta === 'object'
      ? fold('Details of the result', () => clippedText(prettyJson(call.result.meta))) : null,
  ],
};

function inputValues(input) {
  if (!isObject(input)) return clippedText(asText(input));
  const entries = Object.entries(input);
  if (!entries.length) return note('The input is empty.');
  return make('dl.facts.tall', null, entries.map(([name, value]) =>
    make('div', null, make('dt', null, name), make('dd', null, valueNode(value)))));
}

function valueNode(value) {
  const text = asText(value);
  return typeof value === 'object' || text.length > 200 || text.includes('\n') ? clippedText(text) : text;
}
