//! The file of a page, part by part, so that no conversation is too long for a reply.

use crate::frame::{Frame, element, json, packed};
use crate::shown::{gist_of_markdown, plain, plural};
use crate::turn::{PageTurn, tokens, turn};
use ccd_protocol::conversation::{ExportAbout, Missing};
use std::sync::OnceLock;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");

/// One script, in this order; only the last file runs anything.
const SCRIPTS: &[&str] = &[
    include_str!("script/element.js"),
    include_str!("script/format.js"),
    include_str!("script/markup.js"),
    include_str!("script/slices.js"),
    include_str!("script/conversation.js"),
    include_str!("script/load.js"),
    include_str!("script/usage.js"),
    include_str!("script/list.js"),
    include_str!("script/row.js"),
    include_str!("script/foot.js"),
    include_str!("script/header.js"),
    include_str!("script/rail.js"),
    include_str!("script/search.js"),
    include_str!("script/filters.js"),
    include_str!("script/keys.js"),
    include_str!("script/fragment.js"),
    include_str!("script/print.js"),
    include_str!("script/live.js"),
    include_str!("script/start.js"),
];

static FRAME: OnceLock<Frame> = OnceLock::new();

/// Length of the turns in one element of the page; a browser parses each on its own.
const BLOCK_BYTES: usize = 256 << 10;

/// What the first part says of the conversation.
#[derive(Debug, Clone, Copy)]
pub struct PageAbout<'a> {
    pub about: &'a ExportAbout,
    /// What the main conversation, its sub-agents and both cost in US dollars, and whether that is all of it.
    pub costs: [(Option<f64>, bool); 3],
    /// If not all turns are on the page: the first, the last, and how many there are.
    pub turns: Option<(u64, u64, u64)>,
}

/// What the parts of a page have in common.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'a> {
    /// The directory in which the conversation started.
    pub cwd: &'a str,
    /// The page loads itself again, because it is written again while the conversation goes on.
    pub is_live: bool,
}

impl Parts<'_> {
    /// Returns a part of the page: the first has `about`, and `masks` is the number of secrets that were masked in its turns.
    #[must_use]
    pub fn part(
        self,
        about: Option<PageAbout<'_>>,
        turns: &[PageTurn],
        masks: u64,
        is_last: bool,
    ) -> String {
        let frame = FRAME.get_or_init(|| Frame::new("Conversation", PAGE, STYLE, SCRIPTS));
        let mut part = String::new();
        if let Some(about) = about {
            part.push_str(&frame.start);
            element("id=\"about\"", &self.about(about), &mut part);
        }
        self.turns(turns, &mut part);
        element("class=\"masks\"", &masks.to_string(), &mut part);
        if is_last {
            part.push_str(&frame.end);
        }
        part
    }

    fn about(self, page: PageAbout<'_>) -> String {
        let about = page.about;
        let usage = [
            &about.usage.main,
            &about.usage.subagents,
            &about.usage.total,
        ];
        let sums = usage.into_iter().map(tokens).zip(page.costs);
        let sums = sums.map(|(tokens, (cost, is_whole))| {
            (tokens, cost.filter(|_| tokens != [0; 5]), is_whole)
        });
        let turns = |(first, last, all)| format!("{first}–{last} of {all}");
        let shown = |text: &Option<String>| text.as_deref().map(plain);
        json(&serde_json::json!({
            "title": about.title.as_deref().map(|title| gist_of_markdown(title, 200)),
            "cwd": shown(&about.cwd), "branch": shown(&about.branch),
            "models": about.models.iter().map(|model| plain(model)).collect::<Vec<_>>(),
            "started_at": about.started_at, "ended_at": about.ended_at,
            "session_id": plain(&about.session_id), "file": plain(&about.file),
            "sums": sums.collect::<Vec<_>>(), "turns": page.turns.map(turns),
            "notes": notes(about), "exported_at": about.exported_at, "ccd": about.ccd, "live": self.is_live,
        }))
    }

    fn turns(self, turns: &[PageTurn], part: &mut String) {
        let (mut shown, mut raw) = (Vec::new(), Vec::new());
        let mut len_bytes = 0;
        for (turn, records) in turns.iter().filter_map(|page| turn(page, self.cwd)) {
            let turn = json(&turn);
            len_bytes += turn.len();
            shown.push(turn);
            raw.push(format!("[{}]", records.join(",")));
            if len_bytes > BLOCK_BYTES {
                block(&mut shown, &mut raw, part);
                len_bytes = 0;
            }
        }
        block(&mut shown, &mut raw, part);
    }
}

/// Returns what of the conversation could not be read.
fn notes(about: &ExportAbout) -> Vec<String> {
    let missing = about.missing.map(|missing| match missing {
        Missing::Transcript => "The transcript itself is missing; its sub-agents’ are here.",
        Missing::Result => "The end of the stream is missing; the tokens are partial.",
    });
    let skipped = (about.skipped_lines > 0).then(|| {
        let lines = plural(about.skipped_lines as usize, "line");
        format!("{lines} of the file could not be read.")
    });
    missing
        .map(str::to_owned)
        .into_iter()
        .chain(skipped)
        .collect()
}

/// Adds turns, and after them their records, which are unpacked only when somebody asks for one.
fn block(shown: &mut Vec<String>, raw: &mut Vec<String>, part: &mut String) {
    let list = |items: &mut Vec<String>| format!("[{}]", std::mem::take(items).join(","));
    if !shown.is_empty() {
        element("class=\"turns\"", &list(shown), part);
        packed("class=\"raw\"", &list(raw), part);
    }
}
