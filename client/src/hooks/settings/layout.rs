//! How a settings file is laid out, so that what is added looks like the rest.

use super::json::Value;

#[derive(Debug)]
pub(super) enum Node {
    Word(String),
    Object(Vec<(&'static str, Node)>),
    Array(Vec<Node>),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Layout<'a> {
    pub(super) newline: &'static str,
    /// What each level adds to the start of a line; `None` if all is on one line.
    pub(super) indent: Option<&'a str>,
    /// What follows `:` and `,` within a line.
    pub(super) space: &'static str,
}

impl<'a> Layout<'a> {
    pub(super) fn of(text: &'a str, root: &Value) -> Self {
        let newline = match text.find('\n') {
            Some(at) if text[..at].ends_with('\r') => "\r\n",
            _ => "\n",
        };
        let first = root.members().first();
        let indent = match first {
            Some(first) => line_indent(text, first.start),
            None => Some(""),
        };
        let space = first.is_none_or(|first| {
            let colon = text[first.start..first.value.span.start].trim_end_matches(' ');
            first.start + colon.len() < first.value.span.start
        });
        Self {
            newline,
            // A file without any indentation tells nothing; two spaces are what Claude Code writes.
            indent: indent.map(|indent| if indent.is_empty() { "  " } else { indent }),
            space: if space { " " } else { "" },
        }
    }

    /// Writes a node whose line starts with `outer`.
    pub(super) fn write(&self, node: &Node, outer: &str) -> String {
        let (open, close, items): (_, _, Vec<String>) = match node {
            Node::Word(word) => return word.clone(),
            Node::Object(members) => {
                let inner = self.inner(outer);
                let member = |(key, node): &(&str, Node)| {
                    format!("\"{key}\":{}{}", self.space, self.write(node, &inner))
                };
                ('{', '}', members.iter().map(member).collect())
            }
            Node::Array(items) => {
                let inner = self.inner(outer);
                let item = |node: &Node| self.write(node, &inner);
                ('[', ']', items.iter().map(item).collect())
            }
        };
        match self.indent {
            Some(indent) => {
                let line = format!("{}{outer}{indent}", self.newline);
                let items = items.join(&format!(",{line}"));
                format!("{open}{line}{items}{}{outer}{close}", self.newline)
            }
            None => format!("{open}{}{close}", items.join(&format!(",{}", self.space))),
        }
    }

    fn inner(&self, outer: &str) -> String {
        format!("{outer}{}", self.indent.unwrap_or_default())
    }
}

/// The white space at the start of the line, if nothing else is before `at`.
pub(super) fn line_indent(text: &str, at: usize) -> Option<&str> {
    let before = &text[..at];
    let line = &before[before.rfind('\n')? + 1..];
    line.trim_start_matches([' ', '\t'])
        .is_empty()
        .then_some(line)
}
