//! Text that is Markdown itself, made harmless.
//! Quotes keep it from posing as another part of the document: a list, a heading or a fence in a quote ends with it. HTML
//! and images, which a viewer would load, are shown as text. In code they are text anyway, and an escape would be shown; so
//! what is certainly code is left as it is. Where that is uncertain, `<` is escaped, which at worst looks odd.

/// Returns the lines of a text; they are to be quoted.
pub(super) fn harmless(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut place = QuoteState::default();
    for line in text.trim_end().split('\n') {
        lines.push(place.line(line));
    }
    let is_blank = |line: &String| line.trim().is_empty();
    let start = lines.iter().take_while(|line| is_blank(line)).count();
    lines.split_off(start)
}

#[derive(Debug, Default)]
struct QuoteState {
    /// The fence that is open: its character and its length.
    fence: Option<(char, usize)>,
    /// A fence may be in a list, so it is not known which lines are code.
    is_unsure: bool,
    /// A line of this paragraph leaves a span of code open.
    is_open: bool,
}

impl QuoteState {
    fn line(&mut self, line: &str) -> String {
        if let Some((mark, len)) = self.fence {
            if closes(line, mark, len) {
                self.fence = None;
            }
            return line.to_owned();
        }
        if line.trim().is_empty() {
            self.is_open = false;
        }
        match opens(line) {
            Some(fence) if !self.is_unsure => {
                self.fence = Some(fence);
                self.is_open = false;
                return line.to_owned();
            }
            Some(_) => {}
            None => self.is_unsure |= may_open(line),
        }
        self.is_open |= spans(line).is_none();
        match spans(line).filter(|_| !self.is_open && !self.is_unsure) {
            Some(parts) => parts
                .into_iter()
                .map(|(part, is_code)| {
                    if is_code {
                        part.to_owned()
                    } else {
                        escaped(part)
                    }
                })
                .collect(),
            None => escaped(line),
        }
    }
}

/// Returns the fence that a line at the start of the text's margin opens.
fn opens(line: &str) -> Option<(char, usize)> {
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = line.trim_start_matches(mark);
    let len = line.len() - rest.len();
    let is_fence = len >= 3 && (mark == '~' || !rest.contains('`'));
    is_fence.then_some((mark, len))
}

/// True if a line opens or closes a fence in a list, or one that is indented.
fn may_open(line: &str) -> bool {
    let inner = line.trim_start_matches(|c: char| !matches!(c, '`' | '~') && !c.is_alphabetic());
    inner.len() < line.len() && (inner.starts_with("```") || inner.starts_with("~~~"))
}

fn closes(line: &str, mark: char, len: usize) -> bool {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let rest = line.trim_start_matches(' ').trim_end_matches([' ', '\t']);
    indent < 4 && rest.len() >= len && rest.chars().all(|c| c == mark)
}

/// Splits a line into text and code; `None` if spans of code may go on in the next line, or end elsewhere.
fn spans(line: &str) -> Option<Vec<(&str, bool)>> {
    // A backslash may change what a backtick means, and a bar may separate cells of a table.
    if !line.contains('`') {
        return Some(vec![(line, false)]);
    }
    if line.contains(['|', '\\']) {
        return None;
    }
    let (mut parts, mut rest) = (Vec::new(), line);
    while let Some(start) = rest.find('`') {
        let (before, code) = rest.split_at(start);
        let len = run(code);
        let mut end = len;
        loop {
            end += code[end..].find('`')?;
            let closing = run(&code[end..]);
            end += closing;
            if closing == len {
                break;
            }
        }
        parts.extend([(before, false), (&code[..end], true)]);
        rest = &code[end..];
    }
    parts.push((rest, false));
    Some(parts)
}

/// The length of the run of backticks at the start of a text.
fn run(text: &str) -> usize {
    text.len() - text.trim_start_matches('`').len()
}

/// Returns a text in which no HTML and no image begins.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('<', Some(next)) if next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?') => {
                escaped.push_str("&lt;");
            }
            ('!', Some('[')) => escaped.push_str("&#33;"),
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        harmless(text).join("\n")
    }

    #[test]
    fn html_and_images_are_text() {
        for (text, harmless) in [
            ("<script>x</script> a < b", "&lt;script>x&lt;/script> a < b"),
            ("![x](http://y) and [x](z)", "&#33;[x](http://y) and [x](z)"),
            ("<!-- x\n<img src=x>", "&lt;!-- x\n&lt;img src=x>"),
            ("\n\n  x \n\n", "  x"),
        ] {
            assert_eq!(shown(text), harmless);
        }
    }

    #[test]
    fn what_is_certainly_code_stays_as_it_is() {
        for same in [
            "use `<b>` and ``a`<i>``",
            "```html\n<b>\n```",
            "```\n<b> is not closed",
            "~~~~ `\n~~~\n<b>\n~~~~",
        ] {
            assert_eq!(shown(same), same);
        }
    }

    #[test]
    fn what_only_looks_like_code_is_escaped() {
        for (text, harmless) in [
            // The span began in the line above.
            ("a ` b\n`<b>`", "a ` b\n`&lt;b>`"),
            ("a ` b\n\n`<b>`", "a ` b\n\n`<b>`"),
            ("\\`<b>`", "\\`&lt;b>`"),
            ("| `a | <b>` |", "| `a | &lt;b>` |"),
            // The fence that is closed is not the one that was opened.
            ("  ```\n```\n<b>", "  ```\n```\n&lt;b>"),
            ("- ```\n  x\n```\n<b>", "- ```\n  x\n```\n&lt;b>"),
            ("```a`b\n<b>", "```a`b\n&lt;b>"),
            ("```\n```\n<b>", "```\n```\n&lt;b>"),
        ] {
            assert_eq!(shown(text), harmless, "{text:?}");
        }
    }
}
