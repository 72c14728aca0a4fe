// What belongs to the turn of a row: its address, its tokens, its text as Markdown, and its records.

// Returns the address of an item: that of its turn, then ':' and its index unless it is the first.
const addressOf = ({ turn, index }) => (turn.number ? `t${turn.number}` : encodeURIComponent(turn.ids[0] ?? '')) + (index ? `:${index}` : '');
const linkOf = (item) => make('a.number', { href: `#${addressOf(item)}`, title: 'Link to this row' }, `#${item.turn.number ?? ''}`);

function menuOf(item) {
  const onclick = ({ currentTarget: button }) => {
    item.foot = !item.foot;
    button.ariaExpanded = item.foot;
    const row = button.closest('.row');
    if (item.foot) row.append(footOf(item));
    else row.querySelector(':scope > .foot').remove();
  };
  return make('button.menu', { type: 'button', title: 'Tokens, copy, raw JSON', 'aria-label': 'More about this turn', ariaExpanded: item.foot === true, onclick }, '\u22ef');
}

const USAGE_NAMES = ['input', 'output', 'cache write 5 min', 'cache write 1 h', 'cache read'];

function footOf(item) {
  const { turn } = item;
  // Unpacked before a button is pressed: a browser lets a page copy only for a moment after that.
  const records = recordsOf(turn);
  const raw = (box) => {
    const place = box.appendChild(make('div'));
    records.then((all) => place.append(...all.map((record) => make('pre.text', null, rawText(record)))));
    return box;
  };
  const facts = turn.usage && [['model', turn.model], ...USAGE_NAMES.map((name, kind) => [name, count(turn.usage[kind])]),
    ['cache hits', hitRate(turn.usage)], ['cost', typeof turn.cost === 'number' ? dollars(turn.cost) : 'no price known']];
  return make('div.foot', null,
    make('div.buttons', null,
      copyButton('Copy link', () => location.href.replace(/#.*/, '') + `#${addressOf(item)}`),
      copyButton('Copy as Markdown', () => records.then((all) => markdownOf(turn, all)))),
    facts && make('dl.facts', null, facts.map(([name, value]) => value && make('div', null, make('dt', null, name), make('dd', null, value)))),
    fold('details.fold', 'Raw JSON', raw));
}

// Returns indented JSON; what nobody can see is escaped.
const rawText = (record) => JSON.stringify(record, null, 2)
  .replace(/[\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

function copyButton(name, text) {
  const onclick = async ({ currentTarget: button }) => {
    await navigator.clipboard.writeText(await text()).then(() => { button.textContent = 'Copied'; }, () => { button.textContent = 'Not allowed'; });
    setTimeout(() => { button.textContent = name; }, 1500);
  };
  return make('button', { type: 'button', onclick }, name);
}

// Returns what a turn says as it was written, and its calls with their results.
function markdownOf(turn, records) {
  const parts = [`**${turn.who === 'user' ? 'You' : turn.who === 'assistant' ? 'Claude' : 'Claude Code'}**`];
  for (const record of records) {
    const content = record?.message?.content;
    for (const block of Array.isArray(content) ? content : [{ type: 'text', text: content }]) {
      if (block?.type === 'text' && typeof block.text === 'string') parts.push(block.text.trim());
      const item = block?.id && turn.items.find((one) => one.call?.id === block.id);
      if (!item) continue;
      const text = textOf(item.body).trim();
      const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
      parts.push(`**${item.name}** ${item.gist}`, `${fence}\n${text}\n${fence}`);
    }
  }
  return `${parts.join('\n\n')}\n`;
}
