//! The page of a conversation for a browser: one file with its data, style and scripts.

use super::pages::each_page;
use crate::Failure;
use crate::call::DaemonAddress;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ccd_protocol::conversation::{ConversationParams, ExportTurn};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use std::io::{self, Write};

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");

/// One script, in this order; only the last file runs anything.
const SCRIPTS: &[&str] = &[
    include_str!("page/text/element.js"),
    include_str!("page/text/visible.js"),
    include_str!("page/text/value.js"),
    include_str!("page/text/format.js"),
    include_str!("page/text/typed.js"),
    include_str!("page/text/clip.js"),
    include_str!("page/text/markdown.js"),
    include_str!("page/text/inline.js"),
    include_str!("page/data/conversation.js"),
    include_str!("page/data/turn.js"),
    include_str!("page/data/calls.js"),
    include_str!("page/data/agents.js"),
    include_str!("page/data/usage.js"),
    include_str!("page/data/slices.js"),
    include_str!("page/data/load.js"),
    include_str!("page/tools/read.js"),
    include_str!("page/tools/grep.js"),
    include_str!("page/tools/difference.js"),
    include_str!("page/tools/edit.js"),
    include_str!("page/tools/bash.js"),
    include_str!("page/tools/agent.js"),
    include_str!("page/tools/todo.js"),
    include_str!("page/tools/web.js"),
    include_str!("page/tools/other.js"),
    include_str!("page/tools/table.js"),
    include_str!("page/view/image.js"),
    include_str!("page/view/heights.js"),
    include_str!("page/view/list.js"),
    include_str!("page/view/row.js"),
    include_str!("page/view/body.js"),
    include_str!("page/view/header.js"),
    include_str!("page/control/search.js"),
    include_str!("page/control/searchable.js"),
    include_str!("page/control/marks.js"),
    include_str!("page/control/filters.js"),
    include_str!("page/control/keys.js"),
    include_str!("page/control/fragment.js"),
    include_str!("page/control/print.js"),
    include_str!("page/control/theme.js"),
    include_str!("page/start.js"),
];

/// Length of the turns in one element of the page; a browser parses each on its own.
const BLOCK_BYTES: usize = 256 << 10;

pub(super) fn write(
    conversation: &ConversationParams,
    place: &DaemonAddress,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let (start, end) = frame();
    each_page(conversation, place, |page| {
        if let Some(about) = &page.about {
            out.write_all(start.as_bytes())?;
            element("id=\"about\"", &json(about)?, out)?;
        }
        turns(&page.turns, out)?;
        match page.next {
            Some(_) => Ok(()),
            None => out.write_all(end.as_bytes()).and_then(|()| out.flush()),
        }
    })
}

fn turns(turns: &[ExportTurn], out: &mut dyn Write) -> io::Result<()> {
    let mut block = String::new();
    for turn in turns {
        let turn = json(turn)?;
        if !block.is_empty() && block.len() + turn.len() > BLOCK_BYTES {
            element("class=\"turns\"", &format!("[{block}]"), out)?;
            block.clear();
        }
        if !block.is_empty() {
            block.push(',');
        }
        block.push_str(&turn);
    }
    if block.is_empty() {
        Ok(())
    } else {
        element("class=\"turns\"", &format!("[{block}]"), out)
    }
}

fn json(value: &impl Serialize) -> io::Result<String> {
    // So that no text can end the element.
    Ok(serde_json::to_string(value)?.replace('<', "\\u003c"))
}

fn element(attribute: &str, json: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "<script type=\"application/json\" {attribute}>{json}</script>"
    )
}

/// Returns the page before and after its data.
fn frame() -> (String, String) {
    let script = SCRIPTS.concat();
    let hash = |text: &str| BASE64_STANDARD.encode(Sha256::digest(text.as_bytes()));
    // The policy allows what has these hashes and nothing else.
    let policy = PAGE
        .replace("{{CSS_SHA256}}'", &format!("{}'", hash(STYLE)))
        .replace("{{JS_SHA256}}'", &format!("{}'", hash(&script)));
    let page = policy
        .replacen("/*CSS*/", STYLE, 1)
        .replacen("/*JS*/", &script, 1);
    let (start, end) = page.split_once("<!--DATA-->").unwrap_or((&page, ""));
    (start.to_owned(), end.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_names_what_is_in_the_page() {
        let (start, end) = frame();
        let between = |from: &str, to: &str| {
            let rest = start.split_once(from).unwrap().1;
            rest.split_once(to).unwrap().0.to_owned()
        };
        for (text, kind) in [
            (between("<style>", "</style>"), "style-src"),
            (between("\n<script>", "</script>"), "script-src"),
        ] {
            let hash = BASE64_STANDARD.encode(Sha256::digest(text.as_bytes()));
            assert!(start.contains(&format!("{kind} 'sha256-{hash}'")), "{kind}");
        }
        assert!(end.trim_end().ends_with("</html>"));
    }

    #[test]
    fn no_text_ends_an_element() {
        assert_eq!(
            json(&"</script><!--").unwrap(),
            "\"\\u003c/script>\\u003c!--\""
        );
    }
}
