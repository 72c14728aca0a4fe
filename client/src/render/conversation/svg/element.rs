//! Elements of an image.

use crate::render::on_one_line;
use std::fmt::Write as _;

/// Classes of elements with their colours, light and dark.
const COLOURS: [(&str, &str, &str); 12] = [
    ("back", "#ffffff", "#0d1117"),
    ("title", "#1f2328", "#e6edf3"),
    ("name", "#1f2328", "#e6edf3"),
    ("number", "#1f2328", "#e6edf3"),
    ("dim", "#656d76", "#9198a1"),
    ("grid", "#d8dee4", "#2a313c"),
    ("a", "#2f6fde", "#6ea8fe"),
    ("b", "#e8590c", "#ff922b"),
    ("c", "#2b8a3e", "#51cf66"),
    ("d", "#d6336c", "#f783ac"),
    ("e", "#b9c4d0", "#4a5563"),
    ("cost", "#7048e8", "#b197fc"),
];

/// Returns the attributes of an element of a class.
pub(super) fn fill(class: &str) -> String {
    let color = COLOURS.iter().find(|(name, ..)| *name == class);
    let (_, light, _) = color.unwrap_or(&COLOURS[1]);
    format!(r#"class="{class}" fill="{light}""#)
}

/// Returns the rules for the dark colours, which win over attributes.
pub(super) fn dark_colours() -> String {
    let rule = |(class, _, dark): &(&str, &str, &str)| format!(".{class} {{ fill: {dark}; }}");
    COLOURS.iter().map(rule).collect::<Vec<_>>().join(" ")
}

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
        let (text, fill) = (escaped(text), fill(class));
        let font = match class {
            "title" => r#" font-size="17" font-weight="600""#,
            _ => "",
        };
        let _ = writeln!(
            self.0,
            r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" {fill}{font}>{text}</text>"#
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
        let (about, fill) = (escaped(about), fill(class));
        let _ = writeln!(
            self.0,
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.2}" height="{height:.1}" {fill}><title>{about}</title></rect>"#
        );
    }

    pub(super) fn line(&mut self, (x, y): (f64, f64), end: f64) {
        let (x, height, fill) = (x - 0.5, end - y, fill("grid"));
        let _ = writeln!(
            self.0,
            r#"<rect x="{x:.1}" y="{y:.1}" width="1" height="{height:.1}" {fill}/>"#
        );
    }

    pub(super) fn into_text(self) -> String {
        self.0
    }
}
