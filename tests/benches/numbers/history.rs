//! A made-up history of Claude Code: the same for the same size.
//!
//! Half of the bytes are what an index has no use for, as in real transcripts: notes about results that repeat them,
//! attachments, requests.

use crate::Result;
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use serde_json::{Value, json};
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

/// Different words; the first ones are the most frequent.
const WORDS: usize = 20_000;

/// About as many bytes a conversation has.
const CONVERSATION_BYTES: u64 = 2 << 20;

const PROJECTS: usize = 12;

const SYLLABLES: [&str; 16] = [
    "ba", "ce", "di", "fo", "gu", "ha", "ke", "li", "mo", "nu", "pa", "re", "si", "to", "vu", "za",
];

/// A directory of Claude Code with transcripts.
pub(crate) struct History {
    dir: PathBuf,
    len: u64,
    last: PathBuf,
    random: StdRng,
}

impl History {
    /// Writes transcripts of `bytes` in all.
    pub(crate) fn create(dir: &Path, bytes: usize) -> Result<Self> {
        let mut history = Self {
            dir: dir.to_owned(),
            len: 0,
            last: PathBuf::new(),
            random: StdRng::seed_from_u64(19),
        };
        let mut number = 0;
        while history.len < bytes as u64 {
            history.conversation(number)?;
            number += 1;
        }
        Ok(history)
    }

    /// Writes one transcript with this many turns, and one more that contains `word`.
    pub(crate) fn transcript(file: &Path, turns: usize, word: &str) -> Result<()> {
        let mut history = Self {
            dir: PathBuf::new(),
            len: 0,
            last: file.to_owned(),
            random: StdRng::seed_from_u64(19),
        };
        history.write_while("one", |_, quadruples| quadruples < turns / 4)?;
        history.append(word)
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Returns a word by its rank.
    pub(crate) fn word(rank: usize) -> String {
        let (mut word, mut rest) = (String::new(), rank + 16);
        while rest > 0 {
            word.push_str(SYLLABLES[rest % 16]);
            rest /= 16;
        }
        word
    }

    /// Appends a line with this word to the last conversation.
    pub(crate) fn append(&mut self, word: &str) -> Result<()> {
        let content = json!(format!("Now look for {word}"));
        let line = self.record(
            "last",
            word,
            json!({"role": "user", "content": content}),
            None,
        );
        let mut file = OpenOptions::new().append(true).open(&self.last)?;
        writeln!(file, "{line}")?;
        Ok(())
    }

    fn conversation(&mut self, number: usize) -> Result<()> {
        let project = self
            .dir
            .join(format!("projects/-srv-project{}", number % PROJECTS));
        fs::create_dir_all(&project)?;
        let session = format!("{number:08}-0000-4000-8000-000000000000");
        self.last = project.join(format!("{session}.jsonl"));
        self.write_while(&session, |written, _| written < CONVERSATION_BYTES)
    }

    /// Writes the last transcript, until `more` has enough of its bytes or of its quadruples of turns.
    fn write_while(&mut self, session: &str, more: impl Fn(u64, usize) -> bool) -> Result<()> {
        let mut out = BufWriter::new(File::create(&self.last)?);
        let (mut written, mut turn) = (0, 0);
        while more(written, turn) {
            for line in self.turn(session, turn) {
                let line = line.to_string();
                written += line.len() as u64 + 1;
                writeln!(out, "{line}")?;
            }
            turn += 1;
        }
        out.flush()?;
        self.len += written;
        Ok(())
    }

    /// A prompt, a call with its result, and an answer.
    fn turn(&mut self, session: &str, turn: usize) -> Vec<Value> {
        let id = |part: &str| format!("{session}-{turn}-{part}");
        let (prompt, answer) = (self.text(10, 120), self.text(40, 300));
        let (tool, input) = match self.random.random_range(0..3) {
            0 => (
                "Bash",
                json!({"command": self.text(3, 15), "description": self.text(3, 6)}),
            ),
            1 => (
                "Read",
                json!({"file_path": format!("/srv/project/src/{}.rs", self.text(1, 2).replace(' ', "_"))}),
            ),
            _ => (
                "Edit",
                json!({"file_path": "/srv/project/src/main.rs", "old_string": self.text(5, 60), "new_string": self.text(5, 60)}),
            ),
        };
        let output = self.text(50, 1200);
        let is_error = self.random.random_range(0..20) == 0;
        let note = json!({"type": "text", "file": {"filePath": "/srv/project/src/main.rs", "content": output, "numLines": 90}});
        let blob = self.text(200, 2000);
        let usage = json!({"input_tokens": 12, "output_tokens": 300, "cache_creation_input_tokens": 2000, "cache_read_input_tokens": 40_000});
        let message = |part: &str, content: Value| json!({"id": id(part), "type": "message", "role": "assistant", "model": "claude-opus-4-5-20251101", "content": content, "usage": usage});
        let call = json!([{"type": "tool_use", "id": id("tool"), "name": tool, "input": input}]);
        let result = json!([{"type": "tool_result", "tool_use_id": id("tool"), "content": output, "is_error": is_error}]);
        let said = json!([{"type": "text", "text": answer}]);
        vec![
            self.record(
                session,
                &id("u"),
                json!({"role": "user", "content": prompt}),
                None,
            ),
            json!({"type": "api-request-blob", "sessionId": session, "hash": id("b"), "message": blob}),
            self.record(session, &id("c"), message("m1", call), None),
            self.record(
                session,
                &id("r"),
                json!({"role": "user", "content": result}),
                Some(note),
            ),
            self.record(session, &id("a"), message("m2", said), None),
        ]
    }

    fn record(&mut self, session: &str, uuid: &str, message: Value, note: Option<Value>) -> Value {
        let minute = self.random.random_range(0..60);
        let mut record = json!({"parentUuid": null, "isSidechain": false, "userType": "external", "cwd": "/srv/project", "sessionId": session,
            "version": "2.1.330", "gitBranch": "main", "type": message["role"], "message": message, "uuid": uuid,
            "timestamp": format!("2026-03-01T08:{minute:02}:02.000Z")});
        if let Some(note) = note {
            record["toolUseResult"] = note;
        }
        record
    }

    /// Words, each as frequent as Zipf's law says of its rank.
    fn text(&mut self, least: usize, most: usize) -> String {
        let count = self.random.random_range(least..most);
        let words = (0..count).map(|_| {
            let part: f64 = self.random.random();
            Self::word((WORDS as f64).powf(part) as usize - 1)
        });
        words.collect::<Vec<_>>().join(" ")
    }
}
