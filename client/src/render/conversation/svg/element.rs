//! Elements of an image.

use crate::render::on_one_line;
use std::fmt::Write as _;

/// Returns a text in one line that is nothing but text in XML.
pub(super) fn escaped(text: &str) -> String {
    let line = on_one_line(text);
    let mut escaped = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // No character of XML.
            '\u{fffe}' | '\u{ffff}' => {}
            c => escaped.push(c),
        }
    }
    escaped
}

#[derive(Debug, Clone, Copy)]
pub(super) enum TextAnchor {
    Start,
    Middle,
    End,
}

#[derive(Debug, Default)]
pub(super) struct Elements(String);

impl Elements {
    pub(super) fn text(&mut self, (x, y): (f64, f64), anchor: TextAnchor, class: &str, text: &str) {
        let anchor = match anchor {
            TextAnchor::Start => "start",
            TextAnchor::Middle => "middle",
            TextAnchor::End => "end",
        };
        let text = escaped(text);
        let _ = writeln!(
            self.0,
            r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" class="{class}">{text}</text>"#
        );
    }

    /// A rectangle. `about` is shown when the pointer rests on it.
    pub(super) fn bar(
        &mut self,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        class: &str,
        about: &str,
    ) {
        let about = escaped(about);
        let _ = writeln!(
            self.0,
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.2}" height="{height:.1}" class="{class}"><title>{about}</title></rect>"#
        );
    }

    pub(super) fn line(&mut self, (x, y): (f64, f64), end: f64) {
        let _ = writeln!(
            self.0,
            r#"<line x1="{x:.1}" y1="{y:.1}" x2="{x:.1}" y2="{end:.1}" class="grid"/>"#
        );
    }

    pub(super) fn into_text(self) -> String {
        self.0
    }
}
