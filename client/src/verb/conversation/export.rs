//! `ccctl conversation export`: a conversation as a page for a browser, as Markdown or as JSON; or pages of many.

use super::named;
use super::pages::{Pages, each_part};
use crate::args::Given;
use crate::call::{DaemonAddress, call_at};
use crate::caller::claude_dirs;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, render, whole_file};
use ccd_protocol::conversation::{
    ConversationExport, ConversationExportParams, ConversationPageParams, ConversationParams,
    ExportAbout, TurnNumbers,
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
    Html(PageOptions),
    Markdown,
    Json,
}

/// What is in a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct PageOptions {
    pub(super) turns: Option<TurnNumbers>,
    pub(super) with_paths: bool,
    /// The page loads itself again.
    pub(super) is_live: bool,
}

/// Writes a conversation to a file; `-` is standard output.
pub(super) fn export(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let options = PageOptions {
        turns: args.typed("turns"),
        with_paths: args.has("with_paths"),
        is_live: false,
    };
    let is_json = context.global.json;
    let (form, file) = match (args.path("html"), args.path("markdown"), is_json) {
        (Some(file), ..) => (Form::Html(options), file),
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
    let len = write_file(form, &conversation, &place, file)?;
    if matches!(form, Form::Html(_)) && len >= LARGE_BYTES {
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
    let own = about(conversation, place)?.file;
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
            Form::Html(options) => html(conversation, options, place, out),
            Form::Markdown => markdown(conversation, place, out),
            Form::Json => json(conversation, place, out),
        }
    }
}

/// Writes the page as the daemon makes it.
fn html(
    conversation: &ConversationParams,
    options: PageOptions,
    place: &DaemonAddress,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let params = ConversationExportParams {
        html: true,
        turns: options.turns,
        with_paths: options.with_paths,
        live: options.is_live,
        ..records_of(conversation)
    };
    each_part(params, place, |part| {
        let older =
            || io::Error::other("the daemon is of an older build: run ccctl daemon upgrade");
        out.write_all(part.html.as_deref().ok_or_else(older)?.as_bytes())?;
        out.flush()
    })
}

fn records_of(conversation: &ConversationParams) -> ConversationExportParams {
    let mut params = ConversationExportParams::default();
    params.page.conversation = conversation.clone();
    params
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
    let about = about(conversation, place)?;
    let (_, mut turns) = Pages::start(params, place.clone())?;
    render::markdown(&about, &mut turns, out).map_err(Failure::Output)?;
    turns.end()
}

fn about(conversation: &ConversationParams, place: &DaemonAddress) -> Result<ExportAbout, Failure> {
    let mut params = records_of(conversation);
    params.page.limit = Some(1);
    let reply = call_at::<ConversationExport>(place, &params)?.value;
    Ok(reply.about.unwrap_or_default())
}

/// Writes one document `{about, turns}`, part by part.
fn json(
    conversation: &ConversationParams,
    place: &DaemonAddress,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut is_first = true;
    each_part(records_of(conversation), place, |page| {
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
