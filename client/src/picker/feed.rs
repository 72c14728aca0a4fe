//! Threads that query the daemon: for the rest of the list, for previews, and for searches.

use super::preview::{Preview, preview};
use crate::Failure;
use crate::call::{DaemonAddress, call_at};
use crate::caller::claude_dirs;
use crate::fullscreen::Waker;
use ccd_protocol::conversation::{
    ConversationList, ConversationListParams, ConversationListReply, ConversationScope,
    ConversationSearch, ConversationSearchParams, ConversationSearchReply,
};
use parking_lot::Mutex;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Most reports that wait for the screen to be drawn; a thread with a further one waits.
const MAX_REPORTS: usize = 16;

/// Conversations in the first page, which is on the screen before the others are requested.
const FIRST_PAGE: u64 = 200;

/// Conversations in each further page.
const PAGE: u64 = 1000;

/// Hits that are shown.
const HITS: u64 = 100;

#[derive(Debug)]
pub(super) enum Report {
    Listed(ConversationListReply),
    Preview {
        file: String,
        preview: Result<Preview, String>,
    },
    Found {
        words: String,
        reply: Result<ConversationSearchReply, String>,
    },
    /// The list is incomplete, and why.
    Incomplete(String),
}

/// The handle of the threads, which end when it is dropped.
#[derive(Debug)]
pub(super) struct Feed {
    reports: Receiver<Report>,
    lists: Latest<String>,
    previews: Latest<String>,
    searches: Latest<String>,
}

pub(super) fn first_page() -> ConversationListParams {
    ConversationListParams {
        scope: scope(),
        limit: Some(FIRST_PAGE),
        ..ConversationListParams::default()
    }
}

fn scope() -> ConversationScope {
    ConversationScope {
        claude_dirs: claude_dirs(),
        ..ConversationScope::default()
    }
}

impl Feed {
    pub(super) fn start(place: DaemonAddress, waker: Waker) -> io::Result<Self> {
        let (reports, received) = sync_channel(MAX_REPORTS);
        let waker = Arc::new(waker);
        let report = move |report| {
            let is_wanted = reports.send(report).is_ok();
            waker.wake();
            is_wanted
        };
        let (list_place, search_place) = (place.clone(), place.clone());
        let (list_report, search_report) = (report.clone(), report.clone());
        Ok(Self {
            reports: received,
            lists: Latest::start("list", move |after| {
                list_rest(after, &list_place, &list_report);
            })?,
            previews: Latest::start("preview", move |file: String| {
                let preview = preview(&file, &place).map_err(|failure| failure.to_string());
                report(Report::Preview { file, preview });
            })?,
            searches: Latest::start("search", move |words: String| {
                let reply = search(&words, &search_place).map_err(|failure| failure.to_string());
                search_report(Report::Found { words, reply });
            })?,
        })
    }

    pub(super) fn list_after(&self, page: &ConversationListReply) {
        let is_whole = page.conversations.len() as u64 >= page.total;
        if let Some(last) = page.conversations.last().filter(|_| !is_whole) {
            self.lists.want(last.session_id.clone());
        }
    }

    /// Requests the preview of a conversation, in place of an earlier request that still waits.
    pub(super) fn preview(&self, file: String) {
        self.previews.want(file);
    }

    /// Requests a search, in place of an earlier request that still waits.
    pub(super) fn search(&self, words: String) {
        self.searches.want(words);
    }

    pub(super) fn report(&self) -> Option<Report> {
        self.reports.try_recv().ok()
    }
}

fn list_rest(mut after: String, place: &DaemonAddress, report: &impl Fn(Report) -> bool) {
    loop {
        let params = ConversationListParams {
            limit: Some(PAGE),
            before: Some(after),
            ..first_page()
        };
        let page = match call_at::<ConversationList>(place, &params) {
            Ok(answer) => answer.value,
            Err(failure) => {
                report(Report::Incomplete(failure.to_string()));
                return;
            }
        };
        let Some(last) = page.conversations.last() else {
            return;
        };
        after = last.session_id.clone();
        if !report(Report::Listed(page)) {
            return;
        }
    }
}

fn search(words: &str, place: &DaemonAddress) -> Result<ConversationSearchReply, Failure> {
    let params = ConversationSearchParams {
        query: words.to_owned(),
        scope: scope(),
        limit: Some(HITS),
        ..ConversationSearchParams::default()
    };
    Ok(call_at::<ConversationSearch>(place, &params)?.value)
}

/// A thread that carries out the latest of the requests made while it was busy.
#[derive(Debug)]
struct Latest<T> {
    wanted: Arc<Mutex<Option<T>>>,
    nudge: SyncSender<()>,
}

impl<T: Send + 'static> Latest<T> {
    fn start(name: &str, work: impl Fn(T) + Send + 'static) -> io::Result<Self> {
        let wanted = Arc::new(Mutex::new(None));
        let (nudge, nudged) = sync_channel(1);
        let taken = Arc::clone(&wanted);
        let thread = std::thread::Builder::new().name(name.to_owned());
        thread.spawn(move || {
            while nudged.recv().is_ok() {
                let next = taken.lock().take();
                if let Some(next) = next {
                    work(next);
                }
            }
        })?;
        Ok(Self { wanted, nudge })
    }

    fn want(&self, request: T) {
        *self.wanted.lock() = Some(request);
        // If it cannot be sent, the thread is to look already.
        let _ = self.nudge.try_send(());
    }
}
