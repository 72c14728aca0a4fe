//! Where a report is from, and the places that it names: `src/a.rs:12:5`.

use super::pattern;
use crate::collect::paths::relative;
use crate::model::{MESSAGE_CHARS, one_line};
use ccd_text::redact::redact;
use regex::Regex;
use std::borrow::Cow;
use std::path::Path;
use std::sync::LazyLock;

/// A file, empty if it is not known, and a line in it.
pub(super) type FileLine = (String, Option<u64>);

#[derive(Clone, Copy)]
pub(super) struct Origin<'a> {
    pub(super) root: &'a Path,
    /// The part of the project that was tested, relative to it.
    pub(super) module: &'a Path,
    /// The report, relative to the project; empty for what a command printed.
    pub(super) path: &'a Path,
}

static PLACE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"((?:file://)?[^\s()\[\]"'<>:,]+\.[A-Za-z]{1,5}):(\d{1,9})"#));

const MAX_PLACES: usize = 50;

impl Origin<'_> {
    /// Returns a path of the report relative to the project. The report of a part of it may name files relative to that.
    pub(super) fn file(&self, path: &str) -> String {
        let file = relative(self.root, path);
        if let Some(same) = self.same_file(path) {
            return same;
        }
        let inside = self.module.join(&file);
        if self.root.join(&file).exists() || !self.root.join(&inside).is_file() {
            file
        } else {
            inside.to_string_lossy().into_owned()
        }
    }

    /// Returns the project's file that a path of another machine ends with.
    fn same_file(&self, path: &str) -> Option<String> {
        let path = path.replace('\\', "/");
        let is_absolute = path.starts_with('/') || path.as_bytes().get(1) == Some(&b':');
        let is_elsewhere = is_absolute && !Path::new(&path).starts_with(self.root);
        let path = path.split('/').filter(|_| is_elsewhere).collect::<Vec<_>>();
        let ends = (1..path.len().saturating_sub(1)).map(|at| path[at..].join("/"));
        ends.into_iter().find(|end| self.root.join(end).is_file())
    }

    /// Returns the first place in a file whose name starts so.
    pub(super) fn of_name(&self, text: &str, start: &str) -> Option<FileLine> {
        let name = |file: &str| file.rsplit('/').next().unwrap_or_default().to_owned();
        self.places(&redact(text).text)
            .find(|(file, _)| name(file).starts_with(start))
    }

    fn places(&self, text: &str) -> impl Iterator<Item = FileLine> {
        let found = PLACE.captures_iter(text).take(MAX_PLACES);
        let places = found.map(|found| (self.file(&found[1]), found[2].parse().ok()));
        places.filter(|(file, _)| !file.contains("node_modules"))
    }

    /// Returns the first place in a text that is in the project, else the first at all.
    /// Without secrets: in `//user:key@host.org:80` the key would look like a file.
    pub(super) fn first(&self, text: &str) -> Option<FileLine> {
        let text = redact(text).text;
        let mut places = self.places(&text).peekable();
        let first = places.peek().cloned();
        let own = places.find(|(file, _)| self.root.join(file).is_file());
        own.or(first)
    }

    /// Returns the line of the first place in `file`, which is relative to the project.
    pub(super) fn line_in(&self, text: &str, file: &str) -> Option<u64> {
        self.places(text).find(|(other, _)| other == file)?.1
    }
}

pub(super) fn plain(text: &str) -> Cow<'_, str> {
    static ESCAPES: LazyLock<Regex> = LazyLock::new(|| pattern(r"\x1b\[[0-9;]*[A-Za-z]"));
    ESCAPES.replace_all(text, "")
}

pub(super) fn message(text: &str) -> Option<String> {
    let line = one_line(plain(text).trim(), MESSAGE_CHARS);
    (!line.is_empty()).then_some(line)
}
