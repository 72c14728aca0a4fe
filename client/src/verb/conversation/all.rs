//! `ccctl conversation export --all`: a directory of pages, and one that lists them.

use super::export::{Form, PageOptions, write_file};
use super::find::{note_what_is_missing, scope};
use super::in_file;
use crate::args::Given;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, whole_file};
use ccd_protocol::conversation::{
    ConversationContents, ConversationContentsParams, ConversationList, ConversationListParams,
    ConversationSearch, ConversationSearchParams, ConversationSummary, PageOfConversation,
};
use serde_json::json;
use std::collections::HashSet;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

const INDEX: &str = "index.html";

/// What the index has around its list of pages.
const PAGES_START: &str = "<script type=\"application/json\" id=\"pages\">";
const PAGES_END: &str = "</script>";

/// Conversations and hits that are requested at once.
const PAGE_LEN: u64 = 1000;
const HITS_LEN: u64 = 200;

pub(super) fn export_all(dir: &Path, args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let failed = Failure::io(dir.display());
    let made = DirBuilder::new().recursive(true).mode(0o700).create(dir);
    made.map_err(failed)?;
    let known = listed_in(&dir.join(INDEX));
    let conversations = conversations(args, context)?;
    let (mut pages, mut written) = (Vec::new(), 0_usize);
    let with_paths = args.has("with_paths");
    let options = PageOptions {
        with_paths,
        ..PageOptions::default()
    };
    for conversation in conversations {
        let page = page_of(&conversation, with_paths);
        let is_there = known
            .iter()
            .any(|old| old.page == page.page && old.stamp == page.stamp);
        let file = dir.join(&page.page);
        if !is_there || !file.is_file() {
            let conversation = in_file(&conversation.file)?;
            write_file(Form::Html(options), &conversation, &context.place()?, &file)?;
            written += 1;
        }
        pages.push(page);
    }
    let names: HashSet<String> = pages.iter().map(|page| page.page.clone()).collect();
    let total = pages.len();
    // Pages of conversations that Claude Code has deleted since, or that are not in the scope, stay listed.
    pages.extend(
        known
            .into_iter()
            .filter(|old| !names.contains(&old.page) && dir.join(&old.page).is_file()),
    );
    pages.sort_by(|one, other| other.ended_at.cmp(&one.ended_at));
    let params = ConversationContentsParams { pages, with_paths };
    let index = context.call::<ConversationContents>(&params)?.value.html;
    let file = dir.join(INDEX);
    let fill = |out: &mut dyn std::io::Write| out.write_all(index.as_bytes());
    whole_file::write_by(&file, Some(0o600), fill, |error| error)
        .map_err(Failure::io(file.display()))?;
    let report = json!({ "file": file, "pages": total, "written": written });
    context.print_either(&report, |out| {
        writeln!(
            out,
            "{}: {written} of {total} pages written",
            file.display()
        )
    })
}

/// Returns the conversations in the scope, the last used first.
fn conversations(args: &Given, context: &mut Context) -> Result<Vec<ConversationSummary>, Failure> {
    let found = args
        .word("search")
        .map(|words| with_words(words, args, context));
    let found = found.transpose()?;
    let mut all: Vec<ConversationSummary> = Vec::new();
    loop {
        let reply = context
            .call::<ConversationList>(&ConversationListParams {
                limit: Some(PAGE_LEN),
                before: all.last().map(|last| last.session_id.clone()),
                scope: scope(args)?,
                ..ConversationListParams::default()
            })?
            .value;
        if all.is_empty() {
            let missing = json!({"indexing": reply.indexing, "unreadable": reply.unreadable});
            note_what_is_missing(&missing, context);
        }
        let len = reply.conversations.len() as u64;
        all.extend(reply.conversations);
        if len < PAGE_LEN {
            break;
        }
    }
    if let Some(found) = found {
        all.retain(|conversation| found.contains(&conversation.session_id));
    }
    Ok(all)
}

/// Returns the sessions with records in which these words occur.
fn with_words(
    words: &str,
    args: &Given,
    context: &mut Context,
) -> Result<HashSet<String>, Failure> {
    let mut sessions = HashSet::new();
    let mut params = ConversationSearchParams {
        query: words.to_owned(),
        limit: Some(HITS_LEN),
        scope: scope(args)?,
        ..ConversationSearchParams::default()
    };
    loop {
        let hits = context.call::<ConversationSearch>(&params)?.value.hits;
        params.before = hits.last().map(|hit| hit.id);
        let len = hits.len() as u64;
        sessions.extend(hits.into_iter().map(|hit| hit.session_id));
        if len < HITS_LEN {
            return Ok(sessions);
        }
    }
}

/// Returns the name of the page, which stays the same, and a stamp, which changes with the conversation.
fn page_of(conversation: &ConversationSummary, with_paths: bool) -> PageOfConversation {
    let started = conversation.started_at.as_deref().unwrap_or("undated");
    let time: String = started.chars().take(16).filter(|c| *c != ':').collect();
    // So that conversations of the same minute have different names, which do not give away their ids.
    let mix = |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619);
    let hash = conversation.session_id.bytes().fold(2_166_136_261, mix);
    let stamp = format!(
        "{} {} {} {} {} {with_paths}",
        conversation.ended_at.as_deref().unwrap_or_default(),
        conversation.turns,
        conversation.errors,
        conversation.usage.total.output_tokens,
        env!("CARGO_PKG_VERSION"),
    );
    let page = format!("{}-{:06x}.html", time.replace('T', "-"), hash & 0xff_ffff);
    PageOfConversation {
        page,
        stamp,
        title: conversation.title.clone(),
        cwd: conversation.cwd.clone(),
        branch: conversation.branch.clone(),
        started_at: conversation.started_at.clone(),
        ended_at: conversation.ended_at.clone(),
        turns: conversation.turns,
        errors: conversation.errors,
        cost_usd: conversation.cost_usd,
        cost_at_least_usd: conversation.cost_at_least_usd,
    }
}

/// Returns the pages that an index lists; none if there is no index.
fn listed_in(index: &Path) -> Vec<PageOfConversation> {
    let html = fs::read_to_string(index).unwrap_or_default();
    let list = html
        .split_once(PAGES_START)
        .and_then(|(_, rest)| rest.split_once(PAGES_END));
    list.and_then(|(json, _)| serde_json::from_str(json).ok())
        .unwrap_or_default()
}
