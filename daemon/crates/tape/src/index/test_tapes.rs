//! Directories of tapes for tests.

use super::{Fits, Hit, Index, walk};
use crate::key::{Context, ContextRules, Fingerprint, StateHash};
use ccd_protocol::tape::MatchOptions;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// A tape of a program that answers each input with a line and the prompt `> `.
#[derive(Clone, Default)]
pub(super) struct TestTape<'a> {
    pub(super) program: &'a str,
    pub(super) args: &'a [&'a str],
    pub(super) created_at: &'a str,
    pub(super) inputs: &'a [&'a str],
}

impl<'a> TestTape<'a> {
    pub(super) fn with_args(self, args: &'a [&'a str]) -> Self {
        Self { args, ..self }
    }

    pub(super) fn made_in(self, created_at: &'a str) -> Self {
        Self { created_at, ..self }
    }

    pub(super) fn text(&self) -> String {
        let created_at = if self.created_at.is_empty() {
            "2026-01-01T00:00:00Z"
        } else {
            self.created_at
        };
        let args: Vec<String> = self.args.iter().map(|arg| format!("{arg:?}")).collect();
        let mut text = format!(
            "{{\n  meta: {{ createdAt: {created_at:?}, program: {:?}, args: [{}], env: {{ LANG: \"C\" }}, cwd: \"/x\" }},\n  exchanges: [\n",
            self.program,
            args.join(", ")
        );
        let mut state = StateHash::start();
        text.push_str(&exchange("", &state.value(), "", false));
        for input in self.inputs {
            let hidden = *input == "***";
            text.push_str(&exchange("> ", &state.value(), input, hidden));
            if hidden {
                state.feed_hidden();
            } else {
                state.feed(format!("{input}\r").as_bytes());
            }
        }
        text.push_str("  ],\n}\n");
        text
    }
}

fn exchange(prompt: &str, state: &str, input: &str, hidden: bool) -> String {
    let kind = if input.is_empty() { "raw" } else { "line" };
    let hidden = if hidden { ", hidden: true" } else { "" };
    format!(
        "    {{\n      pre: {{ prompt: {prompt:?}, stateHash: {state:?}{hidden} }},\n      \
         input: {{ type: {kind:?}, dataText: {input:?} }},\n      \
         output: {{ chunks: [{{ delay_ms: 1, dataText: \"{input} ok\\r\\n> \" }}] }},\n    }},\n"
    )
}

/// Returns a tape without arguments.
pub(super) fn tape<'a>(program: &'a str, inputs: &'a [&'a str]) -> TestTape<'a> {
    TestTape {
        program,
        inputs,
        ..TestTape::default()
    }
}

/// Returns a directory with these tapes.
pub(super) fn root(tapes: &[(&str, TestTape<'_>)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (id, tape) in tapes {
        write(root.path(), id, tape);
    }
    root
}

pub(super) fn write(root: &Path, id: &str, tape: &TestTape<'_>) {
    let path = root.join(format!("{id}.json5"));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, tape.text()).unwrap();
}

pub(super) fn index(root: &Path) -> Arc<Index> {
    Arc::new(Index::build(root, 1, walk(root, |_| {}), |_, _| None))
}

pub(super) fn rules() -> ContextRules {
    ContextRules::new(&MatchOptions::default()).unwrap()
}

pub(super) fn context(program: &str, args: &[&str]) -> Context {
    let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
    let env = BTreeMap::from([("LANG".to_owned(), "C".to_owned())]);
    rules().context(program, &args, &env, "/elsewhere")
}

pub(super) fn fits(index: &Arc<Index>, program: &str, args: &[&str]) -> Fits {
    index.fits(&rules(), &context(program, args))
}

pub(super) fn state(inputs: &[&str]) -> Fingerprint {
    let mut state = StateHash::start();
    for input in inputs {
        state.feed(format!("{input}\n").as_bytes());
    }
    state.fingerprint()
}

pub(super) fn places(hits: impl IntoIterator<Item = Hit>) -> Vec<(String, u32)> {
    let hits = hits.into_iter();
    hits.map(|hit| (hit.tape.id.to_string(), hit.exchange))
        .collect()
}
