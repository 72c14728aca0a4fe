//! A conversation with one of everything, as a page in a browser.

use super::super::library::{Library, transcript};
use crate::support::browser::Page;
use serde_json::{Value, json};
use std::path::PathBuf;

pub(super) const SESSION: &str = "5fc07b19-3c4e-4d18-a0f2-6b1f0d9a7e55";

const PAGE: &str = "page.html";

/// The turns of the sample that its page shows, those of the sub-agent not counted.
pub(super) const TURNS: usize = 10;

/// The rows of its page at first: three calls in a row are one.
pub(super) const ROWS: usize = 8;

/// A page, and the daemon and the files that it came from.
pub(super) struct Opened {
    pub(super) page: Page,
    library: Library,
}

impl Opened {
    /// Returns the page as it is at first.
    pub(super) fn fresh(&mut self) -> &mut Page {
        self.page.load(&self.library.daemon.home().join(PAGE));
        loaded(&mut self.page);
        &mut self.page
    }

    /// Returns a page of these turns only.
    pub(super) fn part(&mut self, turns: &str) -> &mut Page {
        let file = self.library.daemon.home().join(PAGE);
        let file = file.to_str().unwrap();
        self.library
            .ok(&["export", SESSION, "--html", file, "--turns", turns]);
        self.fresh()
    }
}

/// Opens the sample in one browser for several checks, each of which gets the page as it is at first.
pub(super) fn on_the_sample(checks: &[fn(&mut Page)]) {
    let library = Library::new();
    library.write(&library.path(SESSION), &sample());
    library.write_agent(SESSION, "x1", "t5", &sub_agent());
    let Some(mut opened) = open_page(library) else {
        return;
    };
    for check in checks {
        check(opened.fresh());
    }
}

/// Opens the conversation of a library; `None` without Chromium.
pub(super) fn open_page(library: Library) -> Option<Opened> {
    let mut page = Page::open(&export(&library))?;
    loaded(&mut page);
    Some(Opened { page, library })
}

/// Exports the conversation of a library.
pub(super) fn export(library: &Library) -> PathBuf {
    let file = library.daemon.home().join(PAGE);
    library.ok(&["export", SESSION, "--html", file.to_str().unwrap()]);
    file
}

/// Waits until all turns have been read.
pub(super) fn loaded(page: &mut Page) {
    page.until("document.readyState === 'complete' && document.querySelector('#shown').textContent !== '' && !document.querySelector('#state').textContent.startsWith('Loading')");
}

/// Returns the selector of a row by its place.
pub(super) fn row(place: usize) -> String {
    format!("#window > .row[aria-posinset='{place}']")
}

/// Returns the selector of the head of a row.
pub(super) fn head(place: usize) -> String {
    format!("{} > .bar > .head", row(place))
}

/// Shows the filters.
pub(super) fn show_filters(page: &mut Page) {
    page.click("#more-filters");
    page.until("document.querySelector('#filters').classList.contains('open')");
}

/// Returns a line with another value at a place such as `/message/model`.
pub(super) fn with(line: &str, place: &str, value: Value) -> String {
    let mut record: Value = serde_json::from_str(line).unwrap();
    let (above, name) = place.rsplit_once('/').unwrap();
    record.pointer_mut(above).unwrap()[name] = value;
    record.to_string()
}

fn sample() -> Vec<String> {
    let read = json!({"type": "text", "file": {"filePath": "/srv/shop/src/total.rs",
        "content": "fn total() {\n    round(1.005)\n}", "startLine": 40, "numLines": 3, "totalLines": 120}});
    let edit = json!({"file_path": "/srv/shop/src/total.rs", "old_string": "    round(1.005)", "new_string": "    cents(1.005)"});
    let patch = json!({"filePath": "/srv/shop/src/total.rs", "structuredPatch":
        [{"oldStart": 40, "oldLines": 3, "newStart": 40, "newLines": 3, "lines": [" fn total() {", "-    round(1.005)", "+    cents(1.005)", " }"]}]});
    let task = json!({"subagent_type": "Explore", "description": "find roundings", "prompt": "Look for every rounding"});
    let report = json!({"status": "completed", "agentId": "x1", "totalDurationMs": 2500, "totalTokens": 99, "totalToolUseCount": 1});
    let tests = "running 3 tests\nall passed";
    let steps = json!([
        ["user", "u1", "Find why the **checkout** test fails"],
        ["assistant", "a1", "m1", "I run the tests of `checkout` first.", 100],
        ["call", "u2", "t1", "Bash", {"command": "cargo test checkout"}],
        ["result", "u3", "t1", tests, {"stdout": tests, "stderr": ""}],
        ["call", "u4", "t2", "Read", {"file_path": "/srv/shop/src/total.rs"}],
        ["result", "u5", "t2", "    40\tfn total() {", read],
        ["call", "u6", "t3", "Edit", edit],
        ["result", "u7", "t3", "The file was updated", patch],
        ["call", "u8", "t4", "Bash", {"command": "cargo test --release"}],
        ["result", "u9", "t4", "Exit code 101\nassertion failed: left == right", "Error: Exit code 101"],
        ["call", "u10", "t5", "Task", task],
        ["result", "u11", "t5", "Only total.rs rounds.", report],
        ["assistant", "a2", "m2", "The rounding was wrong; it is fixed.", 20],
        ["user", "u12", "Thanks, now the documentation"],
        ["call", "u13", "t6", "Bash", {"command": "sleep 99"}],
    ]);
    let mut lines = transcript(SESSION, steps);
    let other_model = json!("claude-sonnet-4-5-20250929");
    lines[12] = with(&lines[12], "/message/model", other_model);
    lines
}

fn sub_agent() -> Vec<String> {
    let found = "src/total.rs:41:    round(1.005)";
    let steps = json!([
        ["user", "s1", "Look for every rounding"],
        ["call", "s2", "g1", "Grep", {"pattern": "round", "output_mode": "content"}],
        ["result", "s3", "g1", found, {"mode": "content", "numFiles": 1}],
        ["assistant", "s4", "ms4", "Only total.rs rounds, says the explorer.", 30],
    ]);
    transcript(SESSION, steps)
}
