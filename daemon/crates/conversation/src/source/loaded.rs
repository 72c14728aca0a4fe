//! A conversation that was read from its files, and grows with them.

use super::files::{ConversationFile, files_of};
use super::stamp::{ReadPart, stamp};
use crate::ConversationError;
use crate::error::Result;
use crate::line::{About, Line};
use crate::lines::{Counts, Lines, line_at};
use crate::model::{LineLocation, Record, Records};
use ccd_protocol::conversation::Missing;
use std::fs::File;
use std::path::{Path, PathBuf};

/// A conversation, without the contents of its records.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    main: PathBuf,
    files: Vec<Source>,
    pub records: Records,
    pub about: About,
}

#[derive(Debug, Clone, Default)]
struct Source {
    path: PathBuf,
    parent_tool_use_id: Option<String>,
    lines: Lines,
    /// What was read; `None` if there is no such file.
    read: Option<ReadPart>,
}

impl Loaded {
    /// Returns a transcript or a stream that is not read yet.
    #[must_use]
    pub fn new(main: &Path) -> Self {
        Self {
            main: main.to_owned(),
            ..Self::default()
        }
    }

    /// Reads what was added since, also to the transcripts of sub-agents, and everything again if a file was replaced or has
    /// become shorter.
    pub fn refreshed(mut self) -> Result<Self> {
        let files = files_of(&self.main);
        // Numbers of files are part of places, so they must stay.
        let mut both = self.files.iter().zip(&files);
        let is_same = both.all(|(known, file)| known.path == file.path);
        let is_same = is_same && self.files.len() <= files.len();
        if !is_same || self.files.iter().any(Source::was_replaced) {
            self = Self::new(&self.main);
        }
        self.read_new(files)?;
        if self.records.all().is_empty() {
            Err(ConversationError::NotATranscript(self.main))
        } else {
            Ok(self)
        }
    }

    fn read_new(&mut self, files: Vec<ConversationFile>) -> Result<()> {
        let has_agents = files.len() > 1;
        for (index, file) in files.into_iter().enumerate() {
            if index == self.files.len() {
                self.files.push(Source {
                    path: file.path.clone(),
                    ..Source::default()
                });
            }
            // Whatever deleted a transcript may have left those of its sub-agents.
            if index == 0 && has_agents && !file.path.exists() {
                continue;
            }
            let source = &mut self.files[index];
            source.parent_tool_use_id = file.parent_tool_use_id;
            source.read_new(index as u32, &mut self.records, &mut self.about)?;
        }
        Ok(())
    }

    pub fn missing(&self) -> Option<Missing> {
        let has_transcript = self.files.first().is_some_and(|file| file.read.is_some());
        match (has_transcript, self.records.is_running()) {
            (false, _) => Some(Missing::Transcript),
            (true, true) => Some(Missing::Result),
            (true, false) => None,
        }
    }

    /// Returns the files, the transcript first. A place names one by its index.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|file| file.path.as_path())
    }

    pub fn counts(&self) -> impl Iterator<Item = &Counts> {
        self.files.iter().map(|file| file.lines.counts())
    }

    /// Returns the line of a record. Bytes that are not UTF-8 are replaced. `Changed` if the file has become shorter.
    pub fn line_of(&self, record: &Record) -> Result<String> {
        let path = &self.files[record.place.file as usize].path;
        let failed = ConversationError::read(path);
        let file = File::open(path).map_err(&failed)?;
        line_at(&file, record.place.offset, record.place.len).map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => ConversationError::Changed(path.clone()),
            _ => failed(error),
        })
    }
}

impl Source {
    fn was_replaced(&self) -> bool {
        match (std::fs::metadata(&self.path), self.read) {
            (Ok(now), Some(read)) => !read.is_start_of(&self.path, &now),
            (now, read) => now.is_ok() || read.is_some(),
        }
    }

    fn read_new(&mut self, number: u32, records: &mut Records, about: &mut About) -> Result<()> {
        let failed = ConversationError::read(&self.path);
        let file = File::open(&self.path).map_err(&failed)?;
        let metadata = file.metadata().map_err(&failed)?;
        let parent = self.parent_tool_use_id.as_deref();
        let mut each = |offset, len, mut line: Line<'_>| {
            line.belongs_to(parent);
            about.take(&line);
            let place = LineLocation {
                file: number,
                offset,
                len,
            };
            records.insert(place, &line);
        };
        // What is added meanwhile is for the next time: it need not have an end.
        let read = self.lines.read_to(&file, metadata.len(), &mut each);
        read.map_err(&failed)?;
        let end = self.lines.position();
        let stamp = stamp(&file, end).map_err(&failed)?;
        self.read = Some(ReadPart::new(&metadata, end, Some(stamp)));
        Ok(())
    }
}
