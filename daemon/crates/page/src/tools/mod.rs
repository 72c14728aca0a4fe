//! Calls of tools: what each is about, what came of it, and how it is shown.

mod agent;
mod bash;
mod change;
mod grep;
mod other;
mod read;
mod todo;
mod web;

use crate::markup::Markup;
use crate::value::{self, field, is, list, text};
use crate::{lines, shown};
use ccd_protocol::conversation::printed;
use serde_json::Value;

/// A call of a tool with its result.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) name: &'a str,
    pub(crate) input: &'a Value,
    pub(crate) result: Option<Outcome<'a>>,
    /// The directory in which the conversation started.
    pub(crate) cwd: &'a str,
}

/// The result of a call.
#[derive(Clone, Copy)]
pub(crate) struct Outcome<'a> {
    pub(crate) block: &'a Value,
    /// What Claude Code notes beside it.
    pub(crate) meta: &'a Value,
}

/// How a call is shown.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    /// What it is about, in one line.
    pub(crate) target: String,
    /// What came of it, in a few words.
    pub(crate) outcome: String,
    pub(crate) body: Markup,
    /// The files that it changed, with the lines added and removed.
    pub(crate) changed: Vec<(String, usize, usize)>,
}

impl<'a> Call<'a> {
    pub(crate) fn shown(&self) -> Shown {
        let mut shown = match self.name {
            "Read" | "NotebookRead" => read::show(self),
            "Edit" | "MultiEdit" | "Write" | "NotebookEdit" => change::show(self),
            "Bash" => bash::show(self),
            "Grep" => grep::show(self),
            "Glob" | "LS" => grep::show_files(self),
            "TodoWrite" => todo::show(self),
            "Task" | "Agent" => agent::show(self),
            "WebFetch" => web::show(self),
            _ => other::show(self),
        };
        if self.is_error() && self.result_text().starts_with(DECLINED) {
            shown.outcome = "declined".to_owned();
        }
        shown.target = shown::gist(&shown.target, 160);
        shown.outcome = shown::gist(&shown.outcome, 80);
        for (path, ..) in &mut shown.changed {
            *path = shown::gist(&self.short(path), 300);
        }
        shown
    }

    /// Returns the line of an error that says most: the first that names a failure, else the last one. Its exit status is not it.
    pub(crate) fn reason(&self) -> String {
        if !self.is_error() {
            return String::new();
        }
        let text = self.result_text();
        let mut lines = text
            .lines()
            .filter(|line| !line.trim().is_empty() && !line.starts_with("Exit code "));
        let says = |line: &&str| {
            let line = line.to_ascii_lowercase();
            FAILURES.iter().any(|word| line.contains(word)) && !line.contains(" 0 failed")
        };
        let line = lines.clone().find(says).or_else(|| lines.next_back());
        shown::gist(line.unwrap_or_default(), 160)
    }

    fn meta(&self) -> &'a Value {
        self.result.map_or(&value::NULL, |result| result.meta)
    }

    pub(crate) fn is_error(&self) -> bool {
        self.result
            .is_some_and(|result| is(result.block, "is_error"))
    }

    /// Returns whether there is a result that is not an error.
    fn is_done(&self) -> bool {
        self.result.is_some() && !self.is_error()
    }

    /// Returns the parts of the result's content.
    fn parts(&self) -> Vec<&'a Value> {
        let content = self.result.map(|result| field(result.block, "content"));
        match content {
            Some(Value::Array(parts)) => parts.iter().collect(),
            None | Some(Value::Null) => Vec::new(),
            Some(one) => vec![one],
        }
    }

    /// Returns the text of the result, its parts on lines of their own.
    fn result_text(&self) -> String {
        let parts = self.parts();
        let texts = parts.iter().filter_map(|part| text_of_part(part));
        texts.collect::<Vec<_>>().join("\n")
    }

    /// Adds the result as it is.
    fn add_result(&self, body: &mut Markup) {
        if self.result.is_none() {
            return body.leaf("div.note.awaiting", "Awaiting result");
        }
        let before = body.len_bytes();
        for part in self.parts() {
            match text_of_part(part) {
                Some(text) if text.trim().is_empty() => {}
                Some(text) if self.is_error() => lines::failure(body, &text),
                Some(text) => lines::plain_text(body, &text, "pre.text"),
                None if field(part, "type") == "image" => add_image(body, part),
                None => lines::plain_text(body, &text(part), "pre.text"),
            }
        }
        if body.len_bytes() == before {
            body.note("The result is empty.");
        }
    }

    /// Returns a path without the directory of the conversation.
    fn short(&self, path: &str) -> String {
        let inside = path
            .strip_prefix(self.cwd)
            .and_then(|rest| rest.strip_prefix('/'));
        inside
            .filter(|_| !self.cwd.is_empty())
            .unwrap_or(path)
            .to_owned()
    }
}

/// What Claude Code says of a call that the user did not allow starts with this.
const DECLINED: &str = "The user doesn't want to";

/// Words of lines that say what went wrong.
const FAILURES: [&str; 12] = [
    "error:",
    "error[",
    "exception:",
    "failed",
    "fail ",
    "fail:",
    "fatal",
    "panicked",
    "cannot",
    "denied",
    "not found",
    "no such",
];

fn text_of_part(part: &Value) -> Option<String> {
    match part {
        Value::String(text) => Some(printed(text).into_owned()),
        _ if field(part, "type") == "text" => {
            let text = text(field(part, "text"));
            Some(printed(&text).into_owned())
        }
        _ => None,
    }
}

/// Pictures that are shown. SVG is left out: it is a document.
const PICTURES: [&str; 6] = [
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "image/avif",
    "image/bmp",
];

/// Adds a picture; one whose bytes are not in the conversation is named, never fetched.
pub(crate) fn add_image(body: &mut Markup, block: &Value) {
    let source = field(block, "source");
    let kind = text(value::first(source, &["media_type", "type"]));
    let data = field(source, "data").as_str();
    if !data.is_some_and(|data| add_picture(body, &kind, data)) {
        let address = value::text_of(source, "url");
        body.note(&format!(
            "Picture that is not shown: {}",
            shown::gist(&format!("{kind} {address}"), 200)
        ));
    }
}

/// Adds a picture from base64, if it is one.
fn add_picture(body: &mut Markup, kind: &str, base64: &str) -> bool {
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let is_shown = PICTURES.contains(&kind) && !base64.is_empty() && base64.bytes().all(is_base64);
    if is_shown {
        body.open_with("img.picture", &format!("data:{kind};base64,{base64}"));
        body.close();
    }
    is_shown
}

/// Adds the line that names a file above what was read or changed in it.
fn add_file(body: &mut Markup, path: &str, detail: &str) {
    body.within("div.file", |file| {
        file.leaf("span.path", path);
        if !detail.is_empty() {
            file.leaf("span.detail", detail);
        }
    });
}

/// Returns `3 lines` of a text, empty if there are none.
fn line_count(text: &str) -> String {
    match text.lines().count() {
        0 => String::new(),
        lines => shown::plural(lines, "line"),
    }
}

/// Returns the values of some inputs that are not shown otherwise.
fn other_inputs<'a>(input: &'a Value, known: &[&str]) -> Vec<(&'a str, String)> {
    let fields = input.as_object().into_iter().flatten();
    let others = fields.filter(|(name, _)| !known.contains(&name.as_str()));
    others
        .map(|(name, value)| (name.as_str(), shown::gist(&text(value), 300)))
        .collect()
}

fn texts(values: &Value) -> Vec<String> {
    list(values).iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_reason_of_an_error_is_one_of_its_lines() {
        for (text, expected) in [
            (
                "Exit code 101\nrun 2 tests\nok: 0 failed\ntest a ... FAILED\nerror",
                "test a ... FAILED",
            ),
            ("one\n  No such file \ntwo", "No such file"),
            (
                "   Compiling thiserror v2.0.12\nFound 0 errors\nerror[E0432]: x",
                "error[E0432]: x",
            ),
            ("<tool_use_error>Bad input</tool_use_error>", "Bad input"),
            ("Exit code 2\none\n\ntwo\n\n", "two"),
            ("Exit code 3", ""),
        ] {
            let block = json!({"is_error": true, "content": text});
            let call = Call {
                name: "Bash",
                input: &value::NULL,
                result: Some(Outcome {
                    block: &block,
                    meta: &value::NULL,
                }),
                cwd: "",
            };
            assert_eq!(call.reason(), expected);
        }
    }
}
