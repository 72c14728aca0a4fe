//! The file around the data of a page: its style, its script, and the policy that allows these two and nothing else.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use miniz_oxide::deflate::compress_to_vec;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

/// What every page has before its body.
const HEAD: &str = include_str!("head.html");

/// Of 0 to 10.
const PACKED_LEVEL: u8 = 6;

/// A page before and after its data.
pub(crate) struct Frame {
    pub(crate) start: String,
    pub(crate) end: String,
}

impl Frame {
    pub(crate) fn new(title: &str, body: &str, style: &str, scripts: &[&str]) -> Self {
        let script = scripts.concat();
        let hash = |text: &str| BASE64_STANDARD.encode(Sha256::digest(text.as_bytes()));
        let page = [HEAD, body]
            .concat()
            .replace("{{TITLE}}", title)
            .replace("{{CSS_SHA256}}", &hash(style))
            .replace("{{JS_SHA256}}", &hash(&script))
            .replacen("/*CSS*/", style, 1)
            .replacen("/*JS*/", &script, 1);
        let (start, end) = page.split_once("<!--DATA-->").unwrap_or((&page, ""));
        Self {
            start: start.to_owned(),
            end: end.to_owned(),
        }
    }
}

pub(crate) fn json(value: &impl Serialize) -> String {
    // So that no text can end the element. What is written here always has a form in JSON.
    serde_json::to_string(value)
        .unwrap_or_default()
        .replace('<', "\\u003c")
}

pub(crate) fn element(attribute: &str, json: &str, part: &mut String) {
    data("application/json", attribute, json, part);
}

/// Adds a text that no script of the page needs at first, compressed.
pub(crate) fn packed(attribute: &str, text: &str, part: &mut String) {
    let packed = compress_to_vec(text.as_bytes(), PACKED_LEVEL);
    let base64 = BASE64_STANDARD.encode(packed);
    data("application/octet-stream", attribute, &base64, part);
}

fn data(kind: &str, attribute: &str, text: &str, part: &mut String) {
    part.push_str(&format!(
        "<script type=\"{kind}\" {attribute}>{text}</script>\n"
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_names_what_is_in_the_page() {
        let body = "<script>/*JS*/</script><!--DATA--></html>";
        let frame = Frame::new("Page", body, "p {}", &["let a;", "let b;"]);
        for text in ["p {}", "let a;let b;"] {
            let hash = BASE64_STANDARD.encode(Sha256::digest(text.as_bytes()));
            assert!(frame.start.contains(&format!("'sha256-{hash}'")), "{text}");
            assert!(frame.start.contains(&format!(">{text}<")), "{text}");
        }
        assert_eq!(frame.end, "</html>");
    }

    #[test]
    fn no_text_ends_an_element() {
        assert_eq!(json(&"</script><!--"), "\"\\u003c/script>\\u003c!--\"");
    }
}
