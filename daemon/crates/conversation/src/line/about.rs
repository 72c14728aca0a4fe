//! What lines say of a conversation as a whole.

use super::block::{Block, blocks};
use super::header::{Kind, Line, TitleKind};
use super::time::milliseconds;
use std::borrow::Cow;

/// Characters of a prompt that is the title of a conversation.
const PROMPT_CHARS: usize = 200;

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
    pub title: Option<(TitleKind, String)>,
    /// The earliest and the latest time of a line, in milliseconds since 1970.
    pub started_at: Option<i64>,
    pub ended_at: Option<i64>,
}

impl About {
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

/// Returns the first line of a prompt, which may be shortened.
fn prompt(line: &Line<'_>) -> Option<String> {
    let is_sub = line.is_sidechain || line.parent_tool_use_id.is_some();
    if line.kind != Kind::User || line.is_meta || is_sub || line.result_meta.is_some() {
        return None;
    }
    let content = line.message.as_ref()?.content;
    blocks(content).iter().find_map(|block| match block {
        Block::Text(text) => first_line(text),
        _ => None,
    })
}

fn first_line(text: &str) -> Option<String> {
    let text = text.trim();
    let first = text.lines().next()?.trim_end();
    if NOT_PROMPTS.iter().any(|start| text.starts_with(start)) || first.is_empty() {
        return None;
    }
    let Some((end, _)) = first.char_indices().nth(PROMPT_CHARS) else {
        return Some(first.to_owned());
    };
    // Not within a word: a half of a secret may not be recognised.
    let shortened = first[..end].trim_end_matches(|c: char| c.is_ascii_graphic());
    Some(format!("{}…", shortened.trim_end()))
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
        about.title
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
    fn a_long_prompt_is_not_cut_within_a_word() {
        let words = "word ".repeat(39);
        assert_eq!(
            first_line(&format!("{words}secret-token")),
            Some(format!("{}…", words.trim_end()))
        );
        assert_eq!(first_line(&"k".repeat(300)).as_deref(), Some("…"));
        let unspaced = "\u{8a9e}".repeat(300);
        assert_eq!(
            first_line(&unspaced).unwrap().chars().count(),
            PROMPT_CHARS + 1
        );
    }
}
