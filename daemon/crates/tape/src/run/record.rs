//! Writes a run to a tape.

use super::RunKey;
use crate::format::{
    Annotations, Chunk, Exchange, InputKind, Meta, Pre, RecordedBy, Tape, TypedInput,
};
use crate::key::StateHash;
use crate::play::stored_latency;
use crate::record::{Begin, FinishedTapes, RecorderState, write};
use crate::root::Root;
use crate::settings::TapeSettings;
use ccd_protocol::tape::{TapeExit, TapeOptions};
use std::sync::Arc;

/// What replaces the verb, and a missing tag, in the name of a tape.
const VERB: &str = "exec";

#[derive(Debug, Clone, Default)]
pub struct RunRecord {
    pub chunks: Vec<Chunk>,
    pub exit: Option<TapeExit>,
    pub dur_ms: u64,
    pub annotations: Annotations,
}

impl RunKey {
    /// Writes the run to a new tape if it is on none, or to the tape that has it, as `record` in `options` says. Blocks.
    /// `options` are complete ([`TapeSettings::completed`]). Secrets are removed, except from what the run changed in the work
    /// tree.
    pub fn record(
        self,
        record: RunRecord,
        root: &Arc<Root>,
        settings: &TapeSettings,
        options: &TapeOptions,
    ) -> FinishedTapes {
        let options = named(options.clone());
        let meta = Meta {
            created_at: ccd_base::clock::now(),
            tag: settings.tag.clone(),
            latency: options.latency.clone().map(stored_latency),
            seed: options.seed,
            redact: settings.redact,
            ..self.meta()
        };
        let tape = Tape {
            session: RecordedBy {
                flags: settings.flags(),
                ..RecordedBy::own()
            },
            exchanges: vec![Exchange {
                pre: Pre::default(),
                input: TypedInput {
                    kind: InputKind::Raw,
                    bytes: self.input,
                    unfinished: false,
                },
                chunks: record.chunks,
                exit: record.exit,
                dur_ms: record.dur_ms,
                annotations: record.annotations,
            }],
            meta,
        };
        let begin = Begin {
            session: String::new(),
            options,
            meta: tape.meta.clone(),
            at_us: 0,
            offset: 0,
            state: StateHash::start(),
            is_start: false,
            removed: 0,
            flags: settings.flags(),
        };
        let finished = write(root, &begin, tape, b"", &RecorderState::default(), None);
        if finished.is_put_off {
            FinishedTapes::problem("filters in replay.decorators are not run for it".into())
        } else {
            finished
        }
    }
}

/// Returns the options with a name in which [`VERB`] is the verb, because the arguments of a run have none.
fn named(mut options: TapeOptions) -> TapeOptions {
    let has_tag = options.tag.is_some();
    options.name = options.name.map(|name| {
        let name = name.replace("{verb}", VERB);
        if has_tag {
            name
        } else {
            name.replace("{tag}", VERB)
        }
    });
    options
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TapeError;
    use crate::format::{WORK_TREE_PATCH, read};
    use crate::index::Miss;
    use crate::key::Fingerprint;
    use crate::run::TapedRun;
    use crate::settings::ReplayDefaults;
    use ccd_protocol::tape::RecordMode;
    use std::path::Path;

    fn run(args: &[&str], input: &str) -> RunKey {
        RunKey {
            program: "claude".into(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            cwd: "/p".into(),
            input: input.into(),
        }
    }

    fn record_of(text: &str, patch: &str) -> RunRecord {
        let mut record = RunRecord::default();
        record.chunks.push(Chunk {
            delay_ms: 3,
            data: text.into(),
            ..Chunk::default()
        });
        let (code, signal) = (Some(0), None);
        record.exit = Some(TapeExit { code, signal });
        let patch = patch.to_owned().into();
        record.annotations.insert(WORK_TREE_PATCH.into(), patch);
        record
    }

    struct Tapes {
        folder: tempfile::TempDir,
        root: Arc<Root>,
    }

    impl Tapes {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let root = Root::open(&folder.path().join("tapes"), None, Arc::default()).unwrap();
            Self { folder, root }
        }

        fn record(&self, record: RecordMode, run: &RunKey, done: RunRecord) -> FinishedTapes {
            let options = TapeOptions {
                record: Some(record),
                ..TapeOptions::default()
            };
            let settings = self.settings(&options);
            let options = settings.completed(&options, &ReplayDefaults::default());
            run.clone().record(done, &self.root, &settings, &options)
        }

        fn settings(&self, options: &TapeOptions) -> TapeSettings {
            TapeSettings::over(options, &ReplayDefaults::default(), self.folder.path()).unwrap()
        }

        fn find(&self, run: &RunKey) -> Result<TapedRun, Box<Miss>> {
            let settings = self.settings(&TapeOptions::default());
            match run.find(&self.root, &settings, "ccctl exec --record new …") {
                Ok(found) => Ok(found),
                Err(TapeError::Miss(miss)) => Err(miss),
                Err(error) => panic!("{error}"),
            }
        }
    }

    #[test]
    fn a_run_is_found_by_its_arguments_and_its_input_alone() {
        let tapes = Tapes::new();
        let asked = run(&["-p", "--model", "m"], "-do it\nin 2 lines");
        let finished = tapes.record(RecordMode::New, &asked, record_of("Done.", ""));
        assert_eq!((finished.problem, finished.recorded), (None, 1));
        let written = &finished.written;
        assert!(written[0].starts_with("claude/exec-"), "{written:?}");
        let mut elsewhere = asked.clone();
        elsewhere.cwd = "/other".into();
        let found = tapes.find(&elsewhere).unwrap();
        assert_eq!(&*found.tape, finished.written[0]);
        assert_eq!(found.exchange.chunks[0].data, b"Done.");
        let again = tapes.record(RecordMode::New, &asked, record_of("Again.", ""));
        assert_eq!((again.written.len(), again.known), (0, 1));
        for other in [
            run(&["-p"], "-do it\nin 2 lines"),
            run(&["-p", "--model", "m"], "do it"),
        ] {
            let miss = tapes.find(&other).unwrap_err();
            let said = miss.to_string();
            assert!(said.contains("ccctl exec --record new"), "{said}");
            assert!(!said.contains("--ignore"), "{said}");
            assert_eq!(miss.nearest.unwrap().tape_id, finished.written[0]);
        }
    }

    #[test]
    fn only_a_run_that_is_on_a_tape_is_overwritten_and_nothing_of_it_stays() {
        let tapes = Tapes::new();
        let asked = run(&["-p"], "do it");
        let none = tapes.record(RecordMode::Overwrite, &asked, record_of("one", "patch"));
        assert_eq!((none.written.len(), none.recorded), (0, 0));
        tapes.record(RecordMode::New, &asked, record_of("one", "patch"));
        let mut second = record_of("two", "");
        second.annotations.clear();
        let written = tapes.record(RecordMode::Overwrite, &asked, second).written;
        let found = tapes.find(&asked).unwrap();
        assert_eq!(&*found.tape, written[0]);
        assert_eq!(found.exchange.chunks[0].data, b"two");
        assert!(found.exchange.annotations.is_empty(), "{found:?}");
    }

    #[test]
    fn secrets_are_removed_but_the_patch_is_exact_and_the_tape_starts_with_the_program() {
        let tapes = Tapes::new();
        let key = format!("sk-ant-api03-{}", "aB3dE5gH7j".repeat(9));
        let asked = run(&["-p"], &format!("use the key {key}"));
        let patch = format!("+{key}\n");
        let written = tapes.record(RecordMode::New, &asked, record_of(&key, &patch));
        let path = format!("tapes/{}.json5", written.written[0]);
        let path = tapes.folder.path().join(path);
        let tape = read(&std::fs::read(path).unwrap()).unwrap();
        let exchange = &tape.exchanges[0];
        let input = String::from_utf8_lossy(&exchange.input.bytes);
        assert!(!input.contains(&key) && exchange.chunks[0].data != key.as_bytes());
        assert_eq!(exchange.annotations[WORK_TREE_PATCH], patch);
        assert_eq!(exchange.annotations["redacted"], 2);
        let state = exchange.pre.state_hash.as_deref().map(Fingerprint::parse);
        assert_eq!(state, Some(StateHash::start().fingerprint()));
        let found = tapes.find(&asked).unwrap();
        assert_eq!(found.exchange, *exchange);
        let index = tapes.root.index();
        assert_eq!(index.tape(&found.tape).unwrap().begin(), None);
        assert!(Path::new(&found.meta.cwd) == Path::new("/p") && found.meta.redact);
    }
}
