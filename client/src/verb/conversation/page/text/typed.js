// Elements whose content is shown without them.
const SHOWN_ELEMENTS = new Set(['local-command-caveat', 'local-command-stdout', 'local-command-stderr',
  'bash-stdout', 'bash-stderr', 'bash-input']);

// Returns a text of the user's as it was typed: a slash command with its arguments, a shell command
// after "!". Of what such a command printed, it returns the text alone; other texts are as they were.
function typed(text) {
  const found = [];
  let rest = text.trimStart();
  for (let element; (element = /^<([a-z_-]+)>([^]*?)<\/\1>\s*/.exec(rest)); rest = rest.slice(element[0].length)) {
    found.push({ name: element[1], content: element[2] });
  }
  const contentOf = (name) => found.find((element) => element.name === name)?.content;
  const command = contentOf('command-name');
  let lines;
  if (command !== undefined) {
    lines = [`/${command.trim().replace(/^\/+/, '')} ${(contentOf('command-args') ?? '').trim()}`.trimEnd()];
  } else if (found.length && found.every((element) => SHOWN_ELEMENTS.has(element.name))) {
    lines = found.map((element) => (element.name === 'bash-input' ? `! ${element.content.trim()}` : element.content.trimEnd()));
  } else {
    return text;
  }
  return [...lines, rest].filter((line) => line !== '').join('\n');
}

const AROUND_RESULTS = /^\s*<(tool_use_error|persisted-output|tools-used-before-summary)>\n*([^]*?)\n*<\/\1>/;

// Returns the text of a tool's result without the markup that Claude Code starts it with.
function printed(text) {
  const parts = [];
  let rest = text;
  for (let found; (found = AROUND_RESULTS.exec(rest)); rest = rest.slice(found[0].length)) parts.push(found[2]);
  if (!parts.length) return text;
  return [...parts, rest.trimStart()].filter((part) => part !== '').join('\n');
}
