//! A row of the table of programs, and its test.

use std::time::{Duration, Instant};

use super::report::InputWait::{Accepts, Blocked};
use super::test_terminal::{TestTerminal, eventually, is_installed};
use super::{LastTyped, Probe, fresh};

/// How many probes in a row must agree, and for how long.
const LOOKS: usize = 3;
const LOOKED_AT: Duration = Duration::from_millis(20);

/// Makes the shell stop its program, which it reports.
const STOP_KEY: &str = "\u{1a}";

/// Programs without which the table would not prove anything.
const REQUIRED: [&str; 6] = ["bash", "dash", "cat", "python3", "perl", "sleep"];

/// One program, its input, and its expected state after that.
pub(super) struct Row<'a> {
    /// As for a shell; the first word is the program.
    pub(super) command: &'a str,
    /// Texts in order, each to be typed when the program waits for input.
    typed: &'a [&'a str],
    /// Output that must be shown before the probe; may be empty.
    shown: &'a str,
    /// The mode of the terminal (`plain`: canonical with echo, `hidden`: canonical without, `raw`: neither), the verdict,
    /// and how it was found.
    expected: &'a str,
}

/// Returns a row for a program that gets to its state by itself.
pub(super) fn row<'a>(command: &'a str, expected: &'a str) -> Row<'a> {
    Row {
        command,
        typed: &[],
        shown: "",
        expected,
    }
}

/// Returns a row for a program that gets to its state after it was typed to, and once it has shown a text.
pub(super) fn row_after<'a>(
    command: &'a str,
    typed: &'a [&'a str],
    shown: &'a str,
    expected: &'a str,
) -> Row<'a> {
    Row {
        typed,
        shown,
        ..row(command, expected)
    }
}

/// Returns what a row expects, of a probe.
pub(super) fn found(probe: &Probe) -> String {
    let mode = match (probe.line.canonical, probe.line.echo) {
        (true, true) => "plain",
        (true, false) => "hidden",
        (false, _) => "raw",
    };
    format!("{mode} {:?} {}", probe.verdict, probe.how).to_lowercase()
}

impl Row<'_> {
    fn problem(&self, probe: &Probe) -> Option<String> {
        let waits = matches!(probe.verdict, Blocked | Accepts) || probe.is_relay();
        let is_right = found(probe) == self.expected && probe.reader.is_some() == waits;
        (!is_right).then(|| format!("{}: {probe:?}", self.command))
    }

    /// Tests the row, and returns its terminal and the last probe; `None` if the program is not installed.
    pub(super) fn play(&self) -> Option<(TestTerminal, Probe)> {
        let program = self.command.split(' ').next().unwrap();
        if !is_installed(program) {
            assert!(!REQUIRED.contains(&program), "{program} is not installed");
            eprintln!("skipped, not installed: {program}");
            return None;
        }
        let mut terminal = TestTerminal::start(self.command);
        let mut last = None;
        for text in self.typed {
            let before = wait_for_reader(&mut terminal, last.take());
            let typed = LastTyped::now(text.as_bytes(), before.reader, 0);
            terminal.send(text);
            if *text == STOP_KEY {
                // Until the shell has stopped the program, it still waits for input.
                eventually(|| terminal.must_have_shown("Stopped"));
            }
            last = Some(typed);
        }
        let (mut agreeing, mut since) = (0, Instant::now());
        let probe = eventually(|| {
            terminal.must_have_shown(self.shown)?;
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
    last.is_none_or(|typed| fresh(&typed, probe, 0))
}

/// Waits until the program waits for input again after what was typed `last`.
pub(super) fn wait_for_reader(terminal: &mut TestTerminal, last: Option<LastTyped>) -> Probe {
    eventually_probed(terminal, |probe| {
        probe.verdict >= Accepts && is_fresh(last, probe)
    })
}

/// Waits until a probe is as it should be.
pub(super) fn eventually_probed(
    terminal: &mut TestTerminal,
    is_right: impl Fn(&Probe) -> bool,
) -> Probe {
    eventually(|| match terminal.probe() {
        probe if is_right(&probe) => Ok(probe),
        probe => Err(format!("{probe:?}\n{}", terminal.output())),
    })
}

/// Tests the rows in order.
pub(super) fn play_all(rows: &[Row<'_>]) {
    for row in rows {
        row.play();
    }
}
