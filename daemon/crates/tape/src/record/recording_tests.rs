use super::super::journal;
use super::*;
use crate::format::Meta;
use crate::key::StateHash;

struct Recorded {
    recording: Recording,
    keys: bool,
    _folder: tempfile::TempDir,
}

impl Recorded {
    fn new(keys: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = serde_json::from_value(serde_json::json!({})).unwrap();
        let begin = Begin {
            session: "s".into(),
            options,
            meta: Meta::default(),
            at_us: 0,
            offset: 0,
            state: StateHash::start(),
            is_start: true,
            removed: 0,
            flags: Vec::new(),
        };
        let path = folder.path().join("j");
        Self {
            recording: Recording::begin(path, begin, false, Arc::default()).unwrap(),
            keys,
            _folder: folder,
        }
    }

    fn types(&self, text: &str, unseen: bool) -> NotedInput {
        self.types_while(text, unseen, || {})
    }

    /// Types text; `meanwhile` it is written.
    fn types_while(&self, text: &str, unseen: bool, meanwhile: impl FnOnce()) -> NotedInput {
        let typing = self.recording.typing();
        meanwhile();
        typing.typed(TypedBytes {
            bytes: text.as_bytes(),
            offset: 0,
            unseen,
            is_secret: false,
            keys: self.keys,
            command: None,
        })
    }

    fn prints(&self, text: &str) {
        self.recording.printed(text.as_bytes(), 0);
        self.recording.flush();
    }

    fn ends(&self, exit: Option<ccd_protocol::tape::TapeExit>) {
        self.recording.end(EndEntry {
            exit,
            reason: "closed".into(),
            offset: 0,
            at_us: 0,
        });
    }

    /// Returns the inputs in the journal, and whether each is unfinished.
    fn inputs(&self) -> Vec<(String, bool)> {
        let entries = journal::read(self.recording.journal()).unwrap();
        let mut inputs = std::collections::BTreeMap::new();
        for entry in entries {
            if let JournalEntry::Input(input) = entry {
                let text = String::from_utf8(input.bytes).unwrap();
                inputs.insert(input.number, (text, input.unfinished));
            }
        }
        inputs.into_values().collect()
    }

    #[track_caller]
    fn has(&self, inputs: &[&str]) {
        let found = self.inputs();
        let found: Vec<&str> = found.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(found, inputs);
    }
}

#[test]
fn a_line_is_in_the_journal_with_its_enter() {
    let recorded = Recorded::new(false);
    for key in ["h", "a", "l", "f"] {
        assert!(recorded.types(key, false).must_keep);
        recorded.prints(key);
        recorded.has(&[]);
    }
    assert!(!recorded.types("\r", false).must_keep);
    recorded.has(&["half\r"]);
    recorded.types("hunter", true);
    recorded.has(&["half\r"]);
    recorded.types("2x\r", true);
    recorded.has(&["half\r", "***\r"]);
    recorded.types("again hunter2x\r", false);
    recorded.has(&["half\r", "***\r", "***\r"]);
}

#[test]
fn a_key_is_in_the_journal_when_it_was_answered() {
    let recorded = Recorded::new(true);
    recorded.types("j", false);
    recorded.has(&[]);
    recorded.prints("\x1b[2;1Hx");
    recorded.has(&["j"]);
    recorded.types("k", false);
    recorded.types("l", false);
    recorded.has(&["j"]);
    recorded.prints("\x07");
    recorded.has(&["j", "kl"]);
}

#[test]
fn a_line_that_is_shown_while_it_is_written_is_no_secret() {
    let recorded = Recorded::new(true);
    recorded.types("ls -l\r", false);
    recorded.prints("ls -l\r\ntotal 0\r\n");
    recorded.types_while("make it\r", false, || recorded.prints("make "));
    recorded.has(&["ls -l\r", "***\r"]);
    recorded.prints("it\r\n");
    recorded.has(&["ls -l\r", "make it\r"]);
    recorded.types_while("h", false, || recorded.prints("h"));
    recorded.types_while("alf\r", false, || recorded.prints("alf"));
    recorded.has(&["ls -l\r", "make it\r", "half\r"]);
}

#[test]
fn what_is_printed_while_nothing_could_be_typed_answers_what_was_typed_before() {
    let recorded = Recorded::new(true);
    recorded.types("make it\r", false);
    let typing = recorded.recording.typing();
    recorded.prints("make it\r\n");
    recorded.has(&["***\r"]);
    drop(typing);
    recorded.recording.flush();
    recorded.has(&["make it\r"]);
}

#[test]
fn a_line_that_was_not_shown_yet_is_a_mask() {
    let recorded = Recorded::new(true);
    assert!(recorded.types("make it\r", false).must_keep);
    recorded.has(&["***\r"]);
    recorded.prints("make ");
    recorded.has(&["***\r"]);
    recorded.prints("it\r\n");
    recorded.has(&["make it\r"]);
    recorded.types("unseen\r", false);
    recorded.types("other\r", false);
    recorded.prints("other");
    recorded.has(&["make it\r", "***\r", "other\r"]);
}

#[test]
fn the_next_worker_writes_what_was_only_in_memory() {
    for (unseen, input) in [(false, "make it\r"), (true, "***\r")] {
        let recorded = Recorded::new(true);
        recorded.types("make it\r", unseen);
        recorded.recording.printed(b"make it\r\n", 0);
        recorded.has(&["***\r"]);
        let kept = recorded.recording.kept();
        let resumption = Resumption::read(&kept);
        let next = Recording::resume(kept, resumption, Arc::default(), b"make it\r\n", b"");
        next.flush();
        recorded.has(&[input]);
    }
}

#[test]
fn what_nobody_has_ended_is_unfinished_unless_the_program_has_ended() {
    let exit = ccd_protocol::tape::TapeExit::default();
    for (exit, is_unfinished) in [(None, true), (Some(exit), false)] {
        let recorded = Recorded::new(false);
        recorded.types("one\r", false);
        recorded.types("hal", false);
        recorded.prints("hal");
        recorded.ends(exit);
        let one = (String::from("one\r"), false);
        assert_eq!(recorded.inputs(), [one, ("hal".into(), is_unfinished)]);
    }
}

#[test]
fn a_line_that_less_shows_key_by_key_is_no_secret() {
    let recorded = Recorded::new(true);
    recorded.types("/line 7\r", false);
    recorded.prints(
        "\r\x1b[K/\x1b[Kl\x08l\x1b[Ki\x08i\x1b[Kn\x08n\x1b[Ke\x08e\x1b[K \x08 \x1b[K7\x087\r\x1b[K",
    );
    recorded.has(&["/line 7\r"]);
}
