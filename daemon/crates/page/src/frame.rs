//! The file around the data of a page: its style, its script, and the policy that allows these two and nothing else.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

/// A page before and after its data.
pub(crate) struct Frame {
    pub(crate) start: String,
    pub(crate) end: String,
}

impl Frame {
    pub(crate) fn new(page: &str, style: &str, scripts: &[&str]) -> Self {
        let script = scripts.concat();
        let hash = |text: &str| BASE64_STANDARD.encode(Sha256::digest(text.as_bytes()));
        let page = page
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
    part.push_str(&format!(
        "<script type=\"application/json\" {attribute}>{json}</script>\n"
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_names_what_is_in_the_page() {
        let page = "<p 'sha256-{{CSS_SHA256}}' 'sha256-{{JS_SHA256}}'><style>/*CSS*/</style><script>/*JS*/</script><!--DATA--></html>";
        let frame = Frame::new(page, "p {}", &["let a;", "let b;"]);
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
