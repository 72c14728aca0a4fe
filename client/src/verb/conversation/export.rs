//! `ccctl conversation export`: a conversation as a page for a browser, as Markdown or as JSON; or pages of many.

use super::pages::Pages;
use super::{fetch_mended, named, with};
use crate::args::Given;
use crate::call::{DaemonAddress, fetch_within, garbled, request_at};
use crate::caller::claude_dirs;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, render, whole_file};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// A page from this size on takes a browser some seconds and hundreds of megabytes.
const LARGE_BYTES: u64 = 200 << 20;

/// Only the user may read what is exported.
const MODE: u32 = 0o600;

/// How a conversation is written.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Form {
    /// A page with these options of the method.
    Html(Value),
    Markdown,
    Json,
}

/// Writes a conversation to a file; `-` is standard output.
pub(super) fn export(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let (html, markdown) = (args.path("html"), args.path("markdown"));
    let (form, file) = match (html, markdown, context.global.json) {
        (Some(file), ..) => (Form::Html(args.pick("turns with_paths")), file),
        (None, Some(file), _) => (Form::Markdown, file),
        (None, None, true) => (Form::Json, args.path("file").unwrap_or(Path::new("-"))),
        (None, None, false) => {
            let text = "export: the format is missing; add --html FILE, --markdown FILE or --json";
            return Failure::usage(text);
        }
    };
    let conversation = named(args)?;
    let place = context.place()?;
    if file == Path::new("-") {
        let mut written = Ok(());
        context.render(|out| {
            written = form.write(&conversation, &place, out);
            Ok(())
        })?;
        return written.map(|()| Exit::Done);
    }
    let len = write_file(&form, &conversation, &place, file)?;
    if html.is_some() && len >= LARGE_BYTES {
        context.note(&format!(
            "{}: {} MB; a browser needs some seconds for it",
            file.display(),
            len >> 20
        ));
    }
    Ok(Exit::Done)
}

/// Writes a conversation to a file that is complete or unchanged. Returns its length.
pub(super) fn write_file(
    form: &Form,
    conversation: &Value,
    place: &DaemonAddress,
    file: &Path,
) -> Result<u64, Failure> {
    if is_transcript(file, conversation, place)? {
        let text = format!(
            "{}: a transcript of Claude Code; give another file",
            file.display()
        );
        return Failure::usage(text);
    }
    let failed = |error: io::Error| Failure::io(file.display())(error);
    let fill = |out: &mut dyn Write| {
        form.write(conversation, place, out)
            .map_err(|failure| match failure {
                Failure::Output(error) => failed(error),
                other => other,
            })
    };
    whole_file::write_by(file, Some(MODE), fill, failed)
}

/// Says whether a file is a transcript: that of the conversation, or another one of the user's.
fn is_transcript(
    file: &Path,
    conversation: &Value,
    place: &DaemonAddress,
) -> Result<bool, Failure> {
    let Ok(there) = fs::canonicalize(file) else {
        return Ok(false);
    };
    let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".claude"));
    let dirs = claude_dirs().into_iter().map(PathBuf::from).chain(home);
    let mut projects = dirs.filter_map(|dir| fs::canonicalize(dir.join("projects")).ok());
    if there.extension().is_some_and(|end| end == "jsonl")
        && projects.any(|projects| there.starts_with(projects))
    {
        return Ok(true);
    }
    let own = about(conversation, place)?;
    let identity = |path: &Path| fs::metadata(path).map(|found| (found.dev(), found.ino()));
    Ok(identity(&there).ok() == identity(Path::new(own.text("file"))).ok())
}

impl Form {
    fn write(
        &self,
        conversation: &Value,
        place: &DaemonAddress,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        match self {
            Self::Html(options) => html(&with(conversation, options.clone()), place, out),
            Self::Markdown => markdown(conversation, place, out),
            Self::Json => json(conversation, place, out),
        }
    }
}

/// Writes the page as the daemon makes it.
fn html(params: &Value, place: &DaemonAddress, out: &mut dyn Write) -> Result<(), Failure> {
    let mut params = with(params, json!({"html": true}));
    loop {
        let part = fetch_within(place, "conversation.export", &params, None)?.value;
        let html = part["html"].as_str().ok_or_else(|| {
            Failure::Failed("the daemon is of an older build: run ccctl daemon upgrade".to_owned())
        })?;
        let written = out.write_all(html.as_bytes()).and_then(|()| out.flush());
        written.map_err(Failure::Output)?;
        params["from"] = part["next"].clone();
        if params["from"].is_null() {
            return Ok(());
        }
    }
}

fn markdown(
    conversation: &Value,
    place: &DaemonAddress,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let about = about(conversation, place)?;
    let params = with(conversation, json!({"redact": true}));
    let (_, mut turns) = Pages::start(&params, place.clone())?;
    render::markdown(&about, &mut turns, out).map_err(Failure::Output)?;
    turns.end()
}

fn about(conversation: &Value, place: &DaemonAddress) -> Result<Value, Failure> {
    let params = with(conversation, json!({"limit": 1}));
    let mut reply = fetch_mended(place, "conversation.export", &params)?;
    Ok(reply["about"].take())
}

/// The parts of an export, as they were received.
#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow)]
    about: Option<&'a RawValue>,
    #[serde(borrow)]
    turns: Vec<&'a RawValue>,
    next: Option<u64>,
}

/// Writes one document `{about, turns}`, part by part.
fn json(conversation: &Value, place: &DaemonAddress, out: &mut dyn Write) -> Result<(), Failure> {
    let (mut params, mut comma) = (conversation.clone(), "");
    loop {
        let json = request_at(place, "conversation.export", &params)?;
        let part: Part<'_> = serde_json::from_str(json.get())
            .map_err(|error| garbled("conversation.export", &error))?;
        let mut written = part.about.map_or(Ok(()), |about| {
            write!(out, "{{\"about\":{about},\"turns\":[")
        });
        for turn in part.turns {
            written = written.and_then(|()| write!(out, "{comma}{turn}"));
            comma = ",";
        }
        if part.next.is_none() {
            written = written.and_then(|()| out.write_all(b"]}\n"));
        }
        written
            .and_then(|()| out.flush())
            .map_err(Failure::Output)?;
        params["from"] = part.next.into();
        if part.next.is_none() {
            return Ok(());
        }
    }
}
