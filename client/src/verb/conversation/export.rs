//! `ccctl conversation export`: a conversation as a page for a browser, as Markdown or as JSON.

use super::pages::{Pages, each_page};
use super::{html, named};
use crate::args::ConversationExportArgs;
use crate::call::{DaemonAddress, call_at};
use crate::caller::claude_dirs;
use crate::{Context, Exit, Failure, render, whole_file};
use ccd_protocol::conversation::{
    ConversationExport, ConversationPageParams, ConversationParams, ExportAbout,
};
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// A page from this size on takes a browser some seconds and hundreds of megabytes.
const LARGE_BYTES: u64 = 200 << 20;

/// Only the user may read what is exported.
const MODE: u32 = 0o600;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Html,
    Markdown,
    Json,
}

/// Writes a conversation to a file; `-` is standard output.
pub(super) fn export(
    args: &ConversationExportArgs,
    context: &mut Context,
) -> Result<Exit, Failure> {
    let (form, file) = match (&args.html, &args.markdown, context.global.json) {
        (Some(file), ..) => (Form::Html, file.as_path()),
        (None, Some(file), _) => (Form::Markdown, file.as_path()),
        (None, None, true) => (Form::Json, args.file.as_deref().unwrap_or(Path::new("-"))),
        (None, None, false) => {
            let text = "export: the format is missing; add --html FILE, --markdown FILE or --json";
            return Failure::usage(text);
        }
    };
    let conversation = named(&args.conversation)?;
    let place = context.place()?;
    if file == Path::new("-") {
        let mut written = Ok(());
        context.render(|out| {
            written = form.write(&conversation, &place, out);
            Ok(())
        })?;
        return written.map(|()| Exit::Done);
    }
    let len = write_file(form, &conversation, &place, file)?;
    if form == Form::Html && len >= LARGE_BYTES {
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
    form: Form,
    conversation: &ConversationParams,
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
    conversation: &ConversationParams,
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
    let params = ConversationPageParams {
        conversation: conversation.clone(),
        ..ConversationPageParams::default()
    };
    let own = about(&params, place)?.file;
    let identity = |path: &Path| fs::metadata(path).map(|found| (found.dev(), found.ino()));
    Ok(identity(&there).ok() == identity(Path::new(&own)).ok())
}

impl Form {
    fn write(
        self,
        conversation: &ConversationParams,
        place: &DaemonAddress,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        match self {
            Form::Html => html::write(conversation, place, out),
            Form::Markdown => markdown(conversation, place, out),
            Form::Json => json(conversation, place, out),
        }
    }
}

fn markdown(
    conversation: &ConversationParams,
    place: &DaemonAddress,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let params = ConversationPageParams {
        conversation: conversation.clone(),
        redact: true,
        ..ConversationPageParams::default()
    };
    let about = about(&params, place)?;
    let (_, mut turns) = Pages::start(params, place.clone())?;
    render::markdown(&about, &mut turns, out).map_err(Failure::Output)?;
    turns.end()
}

fn about(params: &ConversationPageParams, place: &DaemonAddress) -> Result<ExportAbout, Failure> {
    let params = ConversationPageParams {
        limit: Some(1),
        ..params.clone()
    };
    let reply = call_at::<ConversationExport>(place, &params)?.value;
    Ok(reply.about.unwrap_or_default())
}

/// Writes one document `{about, turns}`, page by page.
fn json(
    conversation: &ConversationParams,
    place: &DaemonAddress,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut is_first = true;
    each_page(conversation, place, |page| {
        if let Some(about) = &page.about {
            out.write_all(b"{\"about\":")?;
            serde_json::to_writer(&mut *out, about)?;
            out.write_all(b",\"turns\":[")?;
        }
        for turn in &page.turns {
            if !std::mem::take(&mut is_first) {
                out.write_all(b",")?;
            }
            serde_json::to_writer(&mut *out, turn)?;
        }
        match page.next {
            Some(_) => Ok(()),
            None => out.write_all(b"]}\n").and_then(|()| out.flush()),
        }
    })
}
