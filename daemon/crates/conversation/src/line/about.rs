//! What lines say of a conversation as a whole.

use super::block::{Block, blocks};
use super::header::{Kind, Line, TitleKind};
use super::time::milliseconds;
use std::borrow::Cow;

/// Characters of a prompt that is the title of a conversation, and bytes of it that are kept until secrets are masked.
const PROMPT_CHARS: usize = 200;
const PROMPT_BYTES: usize = 512;

/// What Claude Code writes in the user's name starts with one of these.
const NOT_PROMPTS: [&str; 7] = [
    "<command-",
    "<local-command-",
    "<bash-",
    "<ide_",
    "<system-reminder>",
    "<task-notification>",
    "[Request interrupted",
];

/// The first that says it counts, for the title the last of the best kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    pub cwd: Option<String>,
    pub branch: Option<String>,
    title: Option<(TitleKind, String)>,
    /// The earliest and the latest time of a line, in milliseconds since 1970.
    pub started_at: Option<i64>,
    pub ended_at: Option<i64>,
}

impl About {
    /// Returns the title, and what it is. `shown` masks secrets in a text, if the reader is not to see them.
    pub fn title(&self, shown: impl FnOnce(&str) -> String) -> Option<(TitleKind, String)> {
        let (kind, text) = self.title.as_ref()?;
        let text = shown(text);
        Some(match kind {
            TitleKind::Prompt => (*kind, first_line(&text)),
            TitleKind::Summary | TitleKind::Generated | TitleKind::Custom => (*kind, text),
        })
    }

    /// Takes what a line says.
    pub fn take(&mut self, line: &Line<'_>) {
        let first = |known: &mut Option<String>, new: &Option<Cow<'_, str>>| {
            if known.is_none() {
                *known = new.as_deref().map(str::to_owned);
            }
        };
        first(&mut self.cwd, &line.cwd);
        first(&mut self.branch, &line.branch);
        if let Some((kind, text)) = &line.title
            && self.title.as_ref().is_none_or(|(known, _)| kind >= known)
        {
            self.title = Some((*kind, text.to_string()));
        }
        if self.title.is_none() {
            self.title = prompt(line).map(|text| (TitleKind::Prompt, text));
        }
        if let Some(at) = line.timestamp.as_deref().and_then(milliseconds) {
            self.started_at = Some(self.started_at.map_or(at, |known| known.min(at)));
            self.ended_at = Some(self.ended_at.map_or(at, |known| known.max(at)));
        }
    }
}

/// Returns the start of a prompt.
fn prompt(line: &Line<'_>) -> Option<String> {
    let is_sub = line.is_sidechain || line.parent_tool_use_id.is_some();
    if line.kind != Kind::User || line.is_meta || is_sub || line.result_meta.is_some() {
        return None;
    }
    let content = line.message.as_ref()?.content;
    blocks(content).iter().find_map(|block| match block {
        Block::Text(text) => start_of(text),
        _ => None,
    })
}

fn start_of(text: &str) -> Option<String> {
    let text = text.trim();
    if text.is_empty() || NOT_PROMPTS.iter().any(|start| text.starts_with(start)) {
        return None;
    }
    let start = &text[..text.floor_char_boundary(PROMPT_BYTES)];
    // Not within a word: a half of a secret may not be recognised.
    let whole_words = match start.len() < text.len() {
        true => start.trim_end_matches(|c: char| c.is_ascii_graphic()),
        false => start,
    };
    (!whole_words.is_empty()).then(|| whole_words.to_owned())
}

fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default().trim_end();
    match line.char_indices().nth(PROMPT_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::header::read;
    use super::*;

    fn title(lines: &[&str]) -> Option<(TitleKind, String)> {
        let mut about = About::default();
        for line in lines {
            about.take(&read(line.as_bytes()).unwrap());
        }
        about.title(str::to_owned)
    }

    fn said(content: &str, rest: &str) -> String {
        format!(
            r#"{{"type":"user","uuid":"u","session_id":"s","message":{{"role":"user","content":{content}}}{rest}}}"#
        )
    }

    #[test]
    fn the_first_prompt_is_the_title_until_there_is_another() {
        let first = said(r#""\n sort it \r\nnow""#, "");
        let second = said(r#"[{"type":"text","text":"again"}]"#, "");
        let generated = r#"{"type":"ai-title","aiTitle":"Sorting"}"#;
        let prompt = Some((TitleKind::Prompt, "sort it".to_owned()));
        assert_eq!(title(&[&first, &second]), prompt);
        let better = Some((TitleKind::Generated, "Sorting".to_owned()));
        assert_eq!(title(&[&first, generated, &second]), better);
        assert_eq!(title(&[generated, &first]), better);
    }

    #[test]
    fn what_nobody_typed_is_not_a_title() {
        for line in [
            said(r#""<command-name>/clear</command-name>""#, ""),
            said(r#""Caveat""#, r#","isMeta":true"#),
            said(r#""go""#, r#","isSidechain":true"#),
            said(r#""go""#, r#","parent_tool_use_id":"t""#),
            said(
                r#"[{"type":"tool_result","tool_use_id":"t","content":"x"}]"#,
                "",
            ),
            said(r#""  ""#, ""),
        ] {
            assert_eq!(title(&[&line]), None, "{line}");
        }
    }

    #[test]
    fn a_long_prompt_is_shortened_after_secrets_are_masked() {
        let words = "word ".repeat(PROMPT_BYTES / 5);
        let kept = |text: &str| start_of(text).unwrap_or_default();
        assert_eq!(kept(&format!("{words}secret-token")), words);
        assert_eq!(kept(&"k".repeat(PROMPT_BYTES + 1)), "");
        let about = About {
            title: Some((TitleKind::Prompt, format!("{words}\nmore"))),
            ..About::default()
        };
        let (_, title) = about.title(|text| text.replace("word", "w")).unwrap();
        assert_eq!(title, format!("{}…", "w ".repeat(PROMPT_CHARS / 2)));
        let unspaced = "\u{8a9e}".repeat(300);
        assert_eq!(kept(&unspaced).len(), PROMPT_BYTES / 3 * 3);
    }
}
