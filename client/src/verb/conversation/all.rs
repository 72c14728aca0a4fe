//! `ccctl conversation export --all`: a directory of pages, and one that lists them.

use super::export::{Form, write_file};
use super::find::{in_scope, note_what_is_missing};
use super::{in_file, with};
use crate::args::Given;
use crate::fields::Fields as _;
use crate::render::filled;
use crate::verb::pages::fetch_all;
use crate::{Context, Exit, Failure, whole_file};
use serde_json::{Value, json};
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
    let options = args.pick("with_paths");
    for conversation in conversations {
        let page = page_of(&conversation, args.has("with_paths"));
        let is_same = |old: &&Value| old["page"] == page["page"] && old["stamp"] == page["stamp"];
        let file = dir.join(page.text("page"));
        if known.iter().find(is_same).is_none() || !file.is_file() {
            let conversation = in_file(conversation.text("file"))?;
            let form = Form::Html(options.clone());
            write_file(&form, &conversation, &context.place()?, &file)?;
            written += 1;
        }
        pages.push(page);
    }
    let total = pages.len();
    // Pages of conversations that Claude Code has deleted since, or that are not in the scope, stay listed.
    for old in known {
        let name = old.text("page");
        if dir.join(name).is_file() && !pages.iter().any(|page| page.text("page") == name) {
            pages.push(old);
        }
    }
    pages.sort_by(|one, other| other.text("ended_at").cmp(one.text("ended_at")));
    let params = json!({"pages": pages, "with_paths": args.has("with_paths")});
    let index = context.fetch("conversation.contents", &params)?.value;
    let file = dir.join(INDEX);
    let fill = |out: &mut dyn std::io::Write| out.write_all(index.text("html").as_bytes());
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
fn conversations(args: &Given, context: &mut Context) -> Result<Vec<Value>, Failure> {
    let scope = in_scope(args, args.pick("project since until"));
    let found = args.word("search").map(|words| {
        let params = with(&scope, json!({"query": words, "limit": HITS_LEN}));
        fetch_all(
            "conversation.search",
            &params,
            ("hits", "id", "before"),
            context,
        )
    });
    let found = found.transpose()?;
    let params = with(&scope, json!({ "limit": PAGE_LEN }));
    let of_list = ("conversations", "session_id", "before");
    let mut all = fetch_all("conversation.list", &params, of_list, context)?.value;
    note_what_is_missing(&all, context)?;
    let mut all = match all["conversations"].take() {
        Value::Array(all) => all,
        _ => Vec::new(),
    };
    if let Some(found) = found {
        // Those with records in which the words occur.
        let hits = found.value.list("hits").iter();
        let sessions: HashSet<&str> = hits.map(|hit| hit.text("session_id")).collect();
        all.retain(|conversation| sessions.contains(conversation.text("session_id")));
    }
    Ok(all)
}

/// Returns the entry of a page in the index: its name, which stays the same, a stamp, which changes with the conversation, and
/// what is shown of it.
fn page_of(conversation: &Value, with_paths: bool) -> Value {
    let started = conversation["started_at"].as_str().unwrap_or("undated");
    let time: String = started.chars().take(16).filter(|c| *c != ':').collect();
    // So that conversations of the same minute have different names, which do not give away their ids.
    let mix = |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619);
    let hash = conversation
        .text("session_id")
        .bytes()
        .fold(2_166_136_261, mix);
    let name = format!("{}-{:06x}.html", time.replace('T', "-"), hash & 0xff_ffff);
    let stamp = "{ended_at} {turns} {errors} {usage.total.output_tokens}";
    let version = env!("CARGO_PKG_VERSION");
    let stamp = format!("{} {version} {with_paths}", filled(stamp, conversation));
    let mut page = json!({"page": name, "stamp": stamp});
    for name in [
        "title",
        "cwd",
        "branch",
        "started_at",
        "ended_at",
        "turns",
        "errors",
        "cost_usd",
        "cost_at_least_usd",
    ] {
        page[name] = conversation[name].clone();
    }
    page
}

/// Returns the pages that an index lists; none if there is no index.
fn listed_in(index: &Path) -> Vec<Value> {
    let html = fs::read_to_string(index).unwrap_or_default();
    let list = html
        .split_once(PAGES_START)
        .and_then(|(_, rest)| rest.split_once(PAGES_END));
    list.and_then(|(json, _)| serde_json::from_str(json).ok())
        .unwrap_or_default()
}
