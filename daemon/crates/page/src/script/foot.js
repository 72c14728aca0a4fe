// What belongs to the turn of a row: its address, its tokens, its text as Markdown, and its records.

function addressOf(turn) {
  return turn.number ? `t${turn.number}` : encodeURIComponent(turn.ids[0] ?? '');
}

function linkOf(item) {
  const { turn } = item;
  return make('a.number', { href: `#${addressOf(turn)}`, title: 'Link to this turn' }, turn.number ? `#${turn.number}` : '#');
}

function menuOf(item) {
  const button = make('button.menu', { type: 'button', title: 'Tokens, copy, raw JSON', 'aria-label': 'More about this turn', 'aria-expanded': item.foot === true }, '\u22ef');
  button.addEventListener('click', () => {
    item.foot = !item.foot;
    button.setAttribute('aria-expanded', item.foot);
    const row = button.closest('.row');
    if (item.foot) row.append(footOf(item));
    else row.querySelector(':scope > .foot').remove();
  });
  return button;
}

const USAGE_NAMES = ['input', 'output', 'cache write 5 min', 'cache write 1 h', 'cache read'];

function footOf({ turn }) {
  const raw = (box) => {
    for (const record of recordsOf(turn)) box.append(make('pre.text', null, rawText(record)));
  };
  return make('div.foot', null,
    make('div.buttons', null,
      copyButton('Copy link', () => location.href.replace(/#.*/, '') + `#${addressOf(turn)}`),
      copyButton('Copy as Markdown', () => markdownOf(turn))),
    turn.usage && facts([['model', turn.model], ...USAGE_NAMES.map((name, kind) => [name, count(turn.usage[kind])]), ['cache hits', hitRate(turn.usage)],
      ['cost', typeof turn.cost === 'number' ? dollars(turn.cost) : 'no price known']]),
    fold('Raw JSON', raw));
}

// Returns indented JSON; what nobody can see is escaped.
function rawText(record) {
  return JSON.stringify(record, null, 2).replace(/[\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function copyButton(name, text) {
  const button = make('button', { type: 'button' }, name);
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text()).then(() => { button.textContent = 'Copied'; }, () => { button.textContent = 'Not allowed'; });
    setTimeout(() => { button.textContent = name; }, 1500);
  });
  return button;
}

// Returns what a turn says as it was written, and its calls with their results.
function markdownOf(turn) {
  const parts = [`**${turn.who === 'user' ? 'You' : turn.who === 'assistant' ? 'Claude' : 'Claude Code'}**`];
  for (const record of recordsOf(turn)) {
    const content = record?.message?.content;
    for (const block of Array.isArray(content) ? content : [{ type: 'text', text: content }]) {
      if (block?.type === 'text' && typeof block.text === 'string') parts.push(block.text.trim());
      const item = block?.id && turn.items.find((one) => one.call?.id === block.id);
      if (!item) continue;
      const text = textOf(item.body).trim();
      const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
      parts.push(`**${item.call.name}** ${item.gist}`, `${fence}\n${text}\n${fence}`);
    }
  }
  return `${parts.join('\n\n')}\n`;
}
