//! `ccctl conversation export` and `open`: a conversation as one page for a browser.

use super::named;
use crate::{Context, Exit, Failure};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ccd_protocol::conversation::{
    ConversationExport, ConversationExportReply, ConversationPageParams, ExportTurn,
};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");

/// One script, in this order; only the last file runs anything.
const SCRIPTS: &[&str] = &[
    include_str!("page/text/element.js"),
    include_str!("page/text/visible.js"),
    include_str!("page/text/value.js"),
    include_str!("page/text/format.js"),
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

/// A page from this size on takes a browser some seconds and hundreds of megabytes.
const LARGE_BYTES: u64 = 200 << 20;

/// Writes the page of a conversation to a file; `-` is standard output.
pub(super) fn export(word: &str, file: &Path, context: &mut Context) -> Result<Exit, Failure> {
    if file == Path::new("-") {
        let mut page = Vec::new();
        write_page(word, &mut page, context)?;
        context.write_bytes(&page)?;
        return Ok(Exit::Done);
    }
    let len = write_file(word, file, context)?;
    if len >= LARGE_BYTES {
        context.note(&format!(
            "{}: {} MB; a browser needs some seconds for it",
            file.display(),
            len >> 20
        ));
    }
    Ok(Exit::Done)
}

/// Writes the page to a private file, and opens it as the user's system does.
pub(super) fn open(word: &str, context: &mut Context) -> Result<Exit, Failure> {
    let folder = std::env::temp_dir();
    let name = format!("ccd-conversation-{}.html", std::process::id());
    let file = folder.join(name);
    write_file(word, &file, context)?;
    context.write_line(&file.display().to_string())?;
    let opener = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let mut opener_command = Command::new(opener);
    opener_command
        .arg(&file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    match opener_command.status() {
        Ok(status) if status.success() => Ok(Exit::Done),
        _ => {
            let text = format!("{opener}: cannot open it; open the file in a browser");
            Err(Failure::Usage(text))
        }
    }
}

/// Writes the page beside the file and puts it in its place. Returns its length.
fn write_file(word: &str, file: &Path, context: &Context) -> Result<u64, Failure> {
    let new = new_name(file);
    // One that was left is in the way.
    let _ = fs::remove_file(&new);
    let created = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&new);
    let mut out = BufWriter::new(created.map_err(Failure::io(file.display()))?);
    let written = write_page(word, &mut out, context).and_then(|()| {
        let failed = Failure::io(file.display());
        let done = out.into_inner().map_err(io::IntoInnerError::into_error);
        let len = done
            .and_then(|file: File| file.metadata())
            .map(|metadata| metadata.len());
        len.and_then(|len| fs::rename(&new, file).map(|()| len))
            .map_err(failed)
    });
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written
}

fn new_name(file: &Path) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    file.with_file_name(name)
}

/// Writes the page, one page of turns after the other.
fn write_page(word: &str, out: &mut dyn Write, context: &Context) -> Result<(), Failure> {
    let mut params = ConversationPageParams {
        conversation: named(word)?,
        ..ConversationPageParams::default()
    };
    let mut reply = context.call::<ConversationExport>(&params)?.value;
    let (start, end) = frame();
    out.write_all(start.as_bytes()).map_err(Failure::Output)?;
    if let Some(about) = &reply.about {
        element("id=\"about\"", &json(about)?, out)?;
    }
    loop {
        turns(&reply.turns, out)?;
        let ConversationExportReply {
            next: Some(next), ..
        } = reply
        else {
            break;
        };
        params.from = Some(next);
        reply = context.call::<ConversationExport>(&params)?.value;
    }
    out.write_all(end.as_bytes())
        .and_then(|()| out.flush())
        .map_err(Failure::Output)
}

fn turns(turns: &[ExportTurn], out: &mut dyn Write) -> Result<(), Failure> {
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
    match block.is_empty() {
        true => Ok(()),
        false => element("class=\"turns\"", &format!("[{block}]"), out),
    }
}

fn json(value: &impl Serialize) -> Result<String, Failure> {
    let json = serde_json::to_string(value).map_err(|error| Failure::Output(error.into()))?;
    // So that no text can end the element.
    Ok(json.replace('<', "\\u003c"))
}

fn element(attribute: &str, json: &str, out: &mut dyn Write) -> Result<(), Failure> {
    writeln!(
        out,
        "<script type=\"application/json\" {attribute}>{json}</script>"
    )
    .map_err(Failure::Output)
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
