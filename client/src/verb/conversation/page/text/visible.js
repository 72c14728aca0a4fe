// Characters that a reader cannot see or that reorder the ones that can be seen: C0 without tab and line feed,
// C1, soft hyphen, direction marks, zero-width spaces, line separators and tag characters. The
// zero-width joiners stay: emoji and several scripts are written with them.
const UNSEEN = '\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f'
  + '\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}';
const HAS_UNSEEN = new RegExp(`[${UNSEEN}]`, 'u');
// A run of them is one mark, or a binary file would become a hundred thousand elements.
const SPLIT_UNSEEN = new RegExp(`([${UNSEEN}]+)`, 'u');
const EACH_UNSEEN = new RegExp(`[${UNSEEN}]`, 'gu');

// Names instead of the pictures that Unicode has (U+2400 and on): many fonts lack those.
const C0_NAMES = 'NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(' ');

// A sequence that sets a colour, moves the cursor or names the window of a terminal: CSI, then texts
// that end in BEL or ST, then all others.
const SEQUENCES = /\u001b(?:\[[ -?]*[@-~]?|[\]PX^_][^\u0007\u001b\n]*(?:\u0007|\u001b\\)|[ -/]+[0-~]?|[0-OQ-WYZ\\`-~])/g;

// Returns a text without the sequences that were meant for a terminal; the raw JSON has them.
function withoutSequences(text) {
  return text.includes('\u001b') ? text.replace(SEQUENCES, '') : text;
}

// Returns the name of one unseen character: ESC, DEL, U+202E.
function nameOf(character) {
  const code = character.codePointAt(0);
  if (code === 0x7f) return 'DEL';
  return C0_NAMES[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

// Returns a text with the name of every unseen character in its place, for titles and labels.
function visibleText(value) {
  const text = withoutSequences(value);
  return HAS_UNSEEN.test(text) ? text.replace(EACH_UNSEEN, (character) => `\u2039${nameOf(character)}\u203a`) : text;
}

// Appends a text as text nodes; unseen characters become small marked names.
function appendVisible(parent, value) {
  const text = withoutSequences(value);
  if (!HAS_UNSEEN.test(text)) {
    parent.append(document.createTextNode(text));
    return;
  }
  text.split(SPLIT_UNSEEN).forEach((piece, index) => {
    if (piece === '') return;
    if (index % 2 === 0) {
      parent.append(document.createTextNode(piece));
      return;
    }
    const sign = document.createElement('span');
    sign.className = 'unseen';
    sign.append(document.createTextNode(piece.replace(EACH_UNSEEN, (character) => `${nameOf(character)} `).trimEnd()));
    parent.append(sign);
  });
}
