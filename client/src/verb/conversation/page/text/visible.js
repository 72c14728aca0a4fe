// Characters that a reader cannot see or that reorder what he sees: C0 without tab and line feed,
// C1, soft hyphen, direction marks, zero-width spaces, line separators and tag characters. The
// zero-width joiners stay: emoji and several scripts are written with them.
const UNSEEN = '\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f'
  + '\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}';
const HAS_UNSEEN = new RegExp(`[${UNSEEN}]`, 'u');
// A whole colour or cursor sequence is one mark, so that coloured output stays readable.
const SPLIT_UNSEEN = new RegExp(`(\\u001b\\[[0-?]*[ -/]*[@-~]|[${UNSEEN}])`, 'u');
const EACH_UNSEEN = new RegExp(`[${UNSEEN}]`, 'gu');

// Returns a visible sign for one unseen character: ␛ for ESC, ‹U+202E› for those without a picture.
function signOf(character) {
  const code = character.codePointAt(0);
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `\u2039U+${code.toString(16).toUpperCase().padStart(4, '0')}\u203a`;
}

// Returns `text` with every unseen character replaced by its sign, for titles and labels.
function visibleText(text) {
  return HAS_UNSEEN.test(text) ? text.replace(EACH_UNSEEN, signOf) : text;
}

// Appends `text` as text nodes; unseen characters become small marked signs.
function appendVisible(parent, text) {
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
    sign.append(document.createTextNode(visibleText(piece)));
    parent.append(sign);
  });
}
