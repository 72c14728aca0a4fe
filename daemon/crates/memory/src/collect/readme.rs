//! What a project is, as the first sentence of its README says.

use super::paths::known;
use crate::disk::read;
use crate::model::{clip, pattern, prose_lines};
use regex::Regex;
use std::path::Path;
use std::sync::LazyLock;

/// Of a README: its first sentence is near its start.
const README_BYTES: u64 = 64 * 1024;
/// A shorter text is a slogan or a name.
const MIN_CHARS: usize = 20;

pub(super) fn first_sentence(root: &Path) -> Option<String> {
    known("readme").find_map(|name| {
        let readme = read(root, Path::new(name), README_BYTES).ok()?;
        sentence(&readme.text())
    })
}

/// Returns a text as it is, or the first sentence of a longer one.
pub(super) fn shortened(text: &str) -> String {
    const MAX_CHARS: usize = 150;
    if text.chars().count() <= MAX_CHARS {
        return text.to_owned();
    }
    clip(first_of(text).as_deref().unwrap_or(text), 2 * MAX_CHARS)
}

fn sentence(text: &str) -> Option<String> {
    let mut is_tag = false;
    let mut paragraph = String::new();
    let mut lines = prose_lines(text).peekable();
    while let Some(line) = lines.next() {
        // The attributes of a tag may be on lines of their own.
        let was_tag = is_tag;
        is_tag = (is_tag || line.starts_with('<')) && !line.contains('>');
        // The line below a title, in the other form of headings.
        let is_rule =
            |line: &&str| line.len() > 2 && line.chars().all(|char| "=-~^*_".contains(char));
        let is_title = lines.peek().is_some_and(is_rule);
        if was_tag || is_title || is_rule(&line) || !is_prose(line) {
            if let Some(found) = first_of(&paragraph) {
                return Some(found);
            }
            paragraph.clear();
            continue;
        }
        paragraph.push_str(line);
        paragraph.push(' ');
    }
    first_of(&paragraph)
}

/// A line of a paragraph: no heading, badge, picture, table, list, directive, or HTML.
fn is_prose(line: &str) -> bool {
    const OTHERS: [&str; 14] = [
        "TODO", "FIXME", "#", "[!", "![", "<", "|", "- ", "* ", "+ ", "..", ":", "1.", "!",
    ];
    !line.is_empty() && !OTHERS.iter().any(|other| line.starts_with(other))
}

/// Returns the first sentence of a paragraph without marks of Markdown; nothing if it is too short to say much.
fn first_of(paragraph: &str) -> Option<String> {
    static PICTURE: LazyLock<Regex> = LazyLock::new(|| pattern(r"!\[[^\]]*\]\([^)]*\)|<[^>]*>"));
    static LINK: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])|`([^`<]*?)\s*<[^>]*>`_+"));
    static MARK: LazyLock<Regex> = LazyLock::new(|| pattern(r"\*\*|__|`+|^>\s*|\*"));
    let text = LINK.replace_all(paragraph, "$1$2");
    let text = PICTURE.replace_all(&text, "");
    let text = MARK.replace_all(&text, "");
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_end = |word: &&&str| {
        let is_short = ["e.g.", "i.e.", "etc.", "vs.", "cf."].contains(*word);
        word.ends_with(['.', '!', '?', '。']) && !is_short
    };
    let len = words
        .iter()
        .position(|word| is_end(&word))
        .map_or(words.len(), |at| at + 1);
    let sentence = words[..len].join(" ");
    // Chinese and Japanese have no blanks between sentences, and say more with a character.
    let sentence = match sentence.split_inclusive(['。', '！', '？']).next() {
        Some(first) if first.len() < sentence.len() => first.to_owned(),
        _ => sentence,
    };
    let width = |char: char| if char < '\u{2e80}' { 1 } else { 3 };
    (sentence.chars().map(width).sum::<usize>() >= MIN_CHARS).then_some(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentence_that_says_something_is_found() {
        for (text, expected) in [
            (
                "# lamp\n\n[![build](x.svg)](y) ![](z)\n\n**Lamp** is a small [library](https://x) for\nlight, e.g. at night. More.\n",
                Some("Lamp is a small library for light, e.g. at night."),
            ),
            (
                "<p align=center>\n<img src=a>\n</p>\n\nFast!\n\nThe tool that turns lamps on\n",
                Some("The tool that turns lamps on"),
            ),
            (
                "lamp\n====\n\n.. image:: x\n\nA client for `lamps <https://x>`_ in Python.\n",
                Some("A client for lamps in Python."),
            ),
            (
                "# a\n\n```\nThis is no prose at all.\n```\n\n> Quoted words are prose as well.\n",
                Some("Quoted words are prose as well."),
            ),
            ("# a\n\n- A list is not a sentence about it\n", None),
            (
                "<img\n  src=\"a.svg\" alt=\"some lamp\"\n/>\n\nA lamp that you can carry around.\n",
                Some("A lamp that you can carry around."),
            ),
            (
                "# lamp\n\n一个控制灯光的小工具。支持多种语言！\n",
                Some("一个控制灯光的小工具。"),
            ),
            ("", None),
        ] {
            assert_eq!(sentence(text).as_deref(), expected, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "(?s).{0,300}") {
            let _ = sentence(&text);
        }
    }
}
