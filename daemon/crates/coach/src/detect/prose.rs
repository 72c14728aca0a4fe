//! What a person wrote, without code, logs and quotations.

use crate::table::Patterns;
use std::sync::LazyLock;

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(include_str!("prose.txt")));

/// Maximum number of bytes of a prompt that are looked at; what somebody pasted after that is no correction.
const MAX_PROMPT_BYTES: usize = 16 * 1024;

/// Number of characters that are searched. Whoever corrects does it at the start.
const MAX_PROSE_CHARS: usize = 500;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Prose {
    /// At most [`MAX_PROSE_CHARS`] characters. Code and quotations are `•`.
    pub(super) text: String,
    /// Whether there was more, so that weak patterns say little: a specification is full of "don't".
    pub(super) is_long: bool,
}

impl Prose {
    /// Returns the prose of a prompt; none for a prompt that no person wrote.
    pub(super) fn new(prompt: &str) -> Option<Self> {
        let prompt = prompt.trim_start();
        let prompt = &prompt[..prompt.floor_char_boundary(MAX_PROMPT_BYTES)];
        if PATTERNS.is_match("machine made", prompt) {
            return None;
        }
        let lines = without_blocks(&folded(prompt));
        let text = PATTERNS.get("inline").replace_all(&lines, "•");
        let text = PATTERNS.get("single quoted").replace_all(&text, "$1•");
        let mut characters = text.trim().chars();
        let kept: String = characters.by_ref().take(MAX_PROSE_CHARS).collect();
        Some(Self {
            text: kept,
            is_long: characters.count() > MAX_PROSE_CHARS / 5,
        })
    }
}

/// Returns the text with one kind of apostrophe and of blank.
pub(super) fn folded(text: &str) -> String {
    let fold = |character| match character {
        '\u{2018}' | '\u{2019}' | '\u{201B}' | '\u{02BC}' | '\u{FF07}' | '\u{00B4}' => '\'',
        '\u{00A0}' | '\u{202F}' => ' ',
        other => other,
    };
    text.chars()
        .filter(|character| !matches!(character, '\u{200B}'..='\u{200D}' | '\u{FEFF}'))
        .map(fold)
        .collect()
}

/// Returns the text without fenced blocks and without lines that a program printed.
fn without_blocks(text: &str) -> String {
    let mut kept = String::new();
    let mut fence = None;
    let mut in_terminal = false;
    for line in text.lines() {
        let trimmed = line.trim_start();
        // What follows a command line at a shell's prompt is its output, up to a blank line or a question.
        in_terminal = trimmed.starts_with("$ ")
            || (in_terminal && !trimmed.is_empty() && !trimmed.ends_with('?'));
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| trimmed.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => {
                fence = Some(mark).filter(|mark| !trimmed[mark.len()..].contains(mark))
            }
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) if !in_terminal && !PATTERNS.is_match("log line", line) => {
                kept.push_str(line);
                kept.push('\n');
            }
            _ => {}
        }
    }
    kept
}
