//! A row of the table of programs, and its test.

use std::time::{Duration, Instant};

use super::report::Verdict::{self, Accepts, Blocked};
use super::test_terminal::{TestTerminal, eventually, is_installed};
use super::{LastTyped, Line, Probe, fresh};

/// How many probes in a row must agree, and for how long.
const LOOKS: usize = 3;
const LOOKED_AT: Duration = Duration::from_millis(20);

/// Makes the shell stop its program, which it reports.
const STOP_KEY: &str = "\u{1a}";

/// Programs without which the table would not prove anything.
const REQUIRED: [&str; 6] = ["bash", "dash", "cat", "python3", "perl", "sleep"];

/// The expected mode of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Canonical with echo: nothing has changed the terminal.
    Plain,
    /// Canonical without echo: the program asks for a secret.
    Hidden,
    /// Neither.
    Raw,
}
pub(super) use Mode::{Hidden, Plain, Raw};

impl From<Line> for Mode {
    fn from(line: Line) -> Self {
        match (line.canonical, line.echo) {
            (true, true) => Plain,
            (true, false) => Hidden,
            (false, _) => Raw,
        }
    }
}

/// One program, its input, and its expected state after that.
pub(super) struct Row<'a> {
    pub(super) argv: Vec<&'a str>,
    /// LastTyped in order, each when the program waits for input.
    typed: Vec<&'a str>,
    /// Output that must be shown before the probe; may be empty.
    shown: &'a str,
    mode: Mode,
    verdict: Verdict,
    pub(super) how: &'a str,
}

/// Returns a row for a program that gets to its state by itself.
pub(super) fn row<'a>(argv: &[&'a str], mode: Mode, verdict: Verdict, how: &'a str) -> Row<'a> {
    Row {
        argv: argv.to_vec(),
        typed: Vec::new(),
        shown: "",
        mode,
        verdict,
        how,
    }
}

impl<'a> Row<'a> {
    /// Types these texts in order, each when the program waits for input.
    pub(super) fn typed(self, typed: &[&'a str]) -> Self {
        Self {
            typed: typed.to_vec(),
            ..self
        }
    }

    /// Probes only after this text was shown.
    pub(super) fn after(self, shown: &'a str) -> Self {
        Self { shown, ..self }
    }

    fn problem(&self, probe: &Probe) -> Option<String> {
        let right = probe.verdict == self.verdict
            && probe.how == self.how
            && Mode::from(probe.line) == self.mode;
        let waits = matches!(probe.verdict, Blocked | Accepts) || probe.is_relay();
        (!right || probe.reader.is_some() != waits).then(|| format!("{:?}: {probe:?}", self.argv))
    }

    /// Tests the row, and returns its terminal and the last probe; `None` if the program is not installed.
    pub(super) fn play(&self) -> Option<(TestTerminal, Probe)> {
        if !is_installed(self.argv[0]) {
            assert!(
                !REQUIRED.contains(&self.argv[0]),
                "{} is not installed",
                self.argv[0]
            );
            eprintln!("skipped, not installed: {}", self.argv[0]);
            return None;
        }
        let mut terminal = TestTerminal::start(&self.argv);
        let mut last = None;
        for text in &self.typed {
            let before = wait_for_reader(&mut terminal, last.take());
            let typed = LastTyped::now(text.as_bytes(), before.reader);
            terminal.send(text);
            if *text == STOP_KEY {
                // Until the shell has stopped the program, it still waits for input.
                eventually(|| {
                    if terminal.has_shown("Stopped") {
                        Ok(())
                    } else {
                        Err(terminal.output())
                    }
                });
            }
            last = Some(typed);
        }
        let (mut agreeing, mut since) = (0, Instant::now());
        let probe = eventually(|| {
            if !terminal.has_shown(self.shown) {
                return Err(format!(
                    "{:?} never showed {:?}: {}",
                    self.argv,
                    self.shown,
                    terminal.output()
                ));
            }
            let probe = terminal.probe();
            let counts = is_fresh(last, &probe);
            if let Some(problem) = self.problem(&probe).filter(|_| counts) {
                (agreeing, since) = (0, Instant::now());
                return Err(format!("{problem}\n{}", terminal.output()));
            }
            agreeing += usize::from(counts);
            if agreeing >= LOOKS && since.elapsed() >= LOOKED_AT {
                Ok(probe)
            } else {
                Err("too few looks".into())
            }
        });
        Some((terminal, probe))
    }
}

fn is_fresh(last: Option<LastTyped>, probe: &Probe) -> bool {
    last.is_none_or(|typed| fresh(&typed, probe))
}

/// Waits until the program waits for input again after what was typed `last`.
pub(super) fn wait_for_reader(terminal: &mut TestTerminal, last: Option<LastTyped>) -> Probe {
    eventually(|| {
        let probe = terminal.probe();
        let waits = probe.verdict >= Accepts && is_fresh(last, &probe);
        if waits {
            Ok(probe)
        } else {
            Err(format!("{probe:?}\n{}", terminal.output()))
        }
    })
}

/// Tests the rows in order.
pub(super) fn play_all(rows: &[Row<'_>]) {
    for row in rows {
        row.play();
    }
}
