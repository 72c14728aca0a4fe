//! Explains why no tape answers, and what to do.

use super::fits::Fits;
use super::nearest::{Lookup, NearHit};
use crate::format::shortened;
use crate::key::{Difference, TERMINAL, normal_input};
use ccd_base::shell;
use ccd_protocol::tape::TapeProblem;
use ccd_text::redact::redact;
use serde::Serialize;
use std::fmt;
use std::path::Path;

/// Maximum part of a text that is shown, around the first difference.
const SHOWN_CHARS: usize = 80;

/// Maximum part before the first difference that is shown whole.
const SAME_CHARS: usize = SHOWN_CHARS / 2;

/// Maximum part of an input that is shown.
const SHOWN_INPUT_CHARS: usize = 1_000;

/// Maximum part of an input that is compared with the tapes.
const MAX_COMPARED_BYTES: usize = 64 << 10;

/// The input is the same, but its recording ended before it was complete.
const UNFINISHED: &str = "unfinished";

/// An input that no tape answers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Miss {
    pub program: String,
    pub prompt: String,
    /// Without secrets.
    pub input: String,
    /// The tape that was played to its end, if its recording ended before the program did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_tape: Option<String>,
    pub nearest: Option<Nearest>,
    /// The program was to start, and no tape starts like this.
    #[serde(skip)]
    pub is_start: bool,
    /// What to do, the likeliest first.
    pub hints: Vec<String>,
}

/// The recorded exchange that differs least from the requested one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Nearest {
    pub tape_id: String,
    pub exchange: u32,
    /// Line in the tape's file.
    pub line: u32,
    /// It was played in this run.
    pub was_played: bool,
    /// The differences, the most important first.
    pub differs: Vec<Difference>,
}

impl Fits {
    /// Finds the exchange that is closest to the requested one, and describes the differences.
    pub fn explain(&self, asked: &Lookup<'_>) -> Miss {
        let input = &asked.input[..asked.input.len().min(MAX_COMPARED_BYTES)];
        let asked = &Lookup { input, ..*asked };
        let near = self.nearest(asked);
        let nearest = near.as_ref().map(|near| described(near, asked));
        let program = asked.session.program.clone();
        Miss {
            ended_tape: self.ended_tape(asked),
            hints: self.hints(nearest.as_ref(), asked),
            prompt: redact(asked.prompt).text.into_owned(),
            input: beginning(&shown_input(asked.input)),
            is_start: asked.input.is_empty(),
            program,
            nearest,
        }
    }

    fn ended_tape(&self, asked: &Lookup<'_>) -> Option<String> {
        let (tape, exchange) = asked.last?;
        let tape = self.index.tape(tape)?;
        let is_last = exchange + 1 == tape.exchanges();
        (is_last && tape.exit.is_none()).then(|| tape.id.to_string())
    }

    fn hints(&self, nearest: Option<&Nearest>, asked: &Lookup<'_>) -> Vec<String> {
        let mut all = hints(nearest, asked);
        let root = self.index.root.display();
        if !self.index.root.exists() {
            let hint = format!("name another directory with `--tapes`: {root} does not exist");
            all.insert(0, hint);
            return all;
        }
        let Some((first, is_own)) = self.set_aside(&asked.session.program) else {
            return all;
        };
        let more = match self.index.problems().count() {
            1 => "is".to_owned(),
            2 => "and another file are".to_owned(),
            count => format!("and {} more files are", count - 1),
        };
        let hint = format!(
            "run `ccctl tape validate --tapes {}` to see why {first} {more} skipped",
            shell::quoted(&root.to_string())
        );
        all.insert(if is_own { 0 } else { all.len() }, hint);
        all
    }

    /// Returns a file under the root that cannot be used, preferably one in the directory of the program's tapes, and
    /// whether it is in there.
    fn set_aside(&self, program: &str) -> Option<(String, bool)> {
        let below = |problem: &TapeProblem| {
            let path = Path::new(&problem.path);
            let below = path.strip_prefix(&self.index.root).unwrap_or(path);
            below.display().to_string()
        };
        let is_own = |path: &String| path.split('/').any(|part| part == program);
        let mut all = self.index.problems().map(below);
        let first = all.next()?;
        let own = std::iter::once(first.clone()).chain(all).find(is_own);
        let is_found = own.is_some();
        Some((own.unwrap_or(first), is_found))
    }
}

fn described(near: &NearHit, asked: &Lookup<'_>) -> Nearest {
    let mut differs = near.context.clone();
    let mut add = |part: &str, recorded: String, now: String| {
        let (recorded, now) = around_difference(&recorded, &now);
        differs.push(Difference {
            part: part.to_owned(),
            tape: Some(with_key_names(&recorded)),
            session: Some(with_key_names(&now)),
        });
    };
    let hit = &near.hit;
    if near.has_other_prompt {
        let prompt = |text: &str| redact(text).text.into_owned();
        add("prompt", prompt(hit.prompt()), prompt(asked.prompt));
    }
    if near.has_other_input {
        let (recorded, now) = (shown_input(hit.input()), shown_input(asked.input));
        let is_cut = hit.is_unfinished() && recorded == now;
        add(if is_cut { UNFINISHED } else { "input" }, recorded, now);
    }
    if near.has_other_state {
        add("state", hit.state().to_string(), asked.state.to_string());
    }
    let place = hit.place();
    Nearest {
        tape_id: place.tape.to_string(),
        exchange: place.exchange,
        line: place.line,
        was_played: asked.has_played(hit),
        differs,
    }
}

impl Nearest {
    /// The only obstacle is that an exchange answers once, unless the inputs before it are the same.
    fn is_used_up(&self) -> bool {
        let has_other_place = |differs: &Difference| differs.part == "state";
        self.was_played && self.differs.iter().all(has_other_place)
    }
}

fn hints(nearest: Option<&Nearest>, asked: &Lookup<'_>) -> Vec<String> {
    let mut hints = Vec::new();
    let first = nearest.and_then(|nearest| nearest.differs.first());
    let part = first
        .filter(|_| !asked.is_run)
        .map_or("", |first| &first.part);
    if part == "prompt" {
        let tape = nearest.map_or("", |nearest| &nearest.tape_id);
        hints.push(format!("compare with `ccctl tape show {tape} --keys`"));
    } else if part == "state" && asked.is_strict {
        hints.push("use `--no-strict` to let an exchange answer after other inputs than those it was recorded after".to_owned());
    } else if part == "cwd" {
        hints.push("omit `--match-cwd` to ignore the directory".to_owned());
    } else if let Some(name) = part.strip_prefix("env ") {
        hints.push(format!("use `--ignore-env {name}` to ignore the variable"));
    } else if let Some(index) = part.strip_prefix("args[") {
        let index = index.trim_end_matches(']');
        hints.push(format!("use `--ignore-arg {index}` to ignore the argument"));
    }
    hints.push(how_to_record(nearest, asked));
    hints.push("use `--fallback proxy` to let the real program answer".to_owned());
    hints
}

fn how_to_record(nearest: Option<&Nearest>, asked: &Lookup<'_>) -> String {
    let record_with = asked.record_with;
    if nearest.is_some_and(Nearest::is_used_up) {
        return format!("record a longer run with `{record_with}`");
    }
    let is_other = |nearest: &Nearest| nearest.differs.iter().any(|part| part.part == TERMINAL);
    match asked
        .session
        .has_terminal
        .filter(|_| nearest.is_some_and(is_other))
    {
        Some(true) => format!("record it in a terminal, with `{record_with}`"),
        Some(false) => format!("record it with pipes, with `{record_with} | cat`"),
        None => format!("record it with `{record_with}`"),
    }
}

/// Returns the end of a prompt, which says what it asks for: the last line of a full-screen program is a whole screen.
pub fn ending(text: &str) -> String {
    let end = text.char_indices().rev().nth(SHOWN_CHARS - 1);
    match end {
        Some((from, _)) if from > 0 => format!("…{}", &text[from..]),
        _ => text.to_owned(),
    }
}

/// Returns the start of an input, which may be as long as a file.
pub fn beginning(text: &str) -> String {
    shortened(text, SHOWN_INPUT_CHARS)
}

/// Returns an input as text, without secrets.
pub(crate) fn shown_input(input: &[u8]) -> String {
    let normal = normal_input(input);
    let text = String::from_utf8_lossy(&normal);
    text.trim_end_matches('\n').to_owned()
}

/// Returns a text with the names of keys in place of their bytes: `<C-c>`.
fn with_key_names(text: &str) -> String {
    const ARROWS: [(&str, &str); 6] = [
        ("A", "<Up>"),
        ("B", "<Down>"),
        ("C", "<Right>"),
        ("D", "<Left>"),
        ("H", "<Home>"),
        ("F", "<End>"),
    ];
    let mut text = text.to_owned();
    for (last, name) in ARROWS {
        for start in ["\u{1b}[", "\u{1b}O"] {
            text = text.replace(&[start, last].concat(), name);
        }
    }
    let named = text.chars().map(|c| match c {
        '\u{1b}' => "<Escape>".to_owned(),
        '\u{7f}' => "<BSpace>".to_owned(),
        '\t' | '\n' | '\r' => c.to_string(),
        '\0'..='\u{1f}' => {
            let letter = char::from(c as u8 | 0x40).to_ascii_lowercase();
            format!("<C-{letter}>")
        }
        _ => c.to_string(),
    });
    named.collect()
}

/// Returns two different texts, or if they are long, the parts around the difference.
fn around_difference(a: &str, b: &str) -> (String, String) {
    let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let (skipped, start) = match same {
        ..=SAME_CHARS => (0, ""),
        _ => (same - SHOWN_CHARS / 4, "…"),
    };
    let part = |text: &str| {
        let rest: String = text.chars().skip(skipped).take(SHOWN_CHARS + 1).collect();
        start.to_owned() + &shortened(&rest, SHOWN_CHARS)
    };
    (part(a), part(b))
}

impl Miss {
    /// Says what happened, without the closest exchange and what to do.
    pub(crate) fn summary(&self) -> String {
        let program = &self.program;
        if self.is_start {
            return format!("no tape of {program} starts with this command");
        }
        let (input, _) = around_difference(&self.input, "");
        let input = with_key_names(&input);
        let mut summary = format!("no tape of {program} answers {input:?}");
        if !self.prompt.is_empty() {
            let prompt = ending(&self.prompt);
            summary.push_str(&format!(" at the prompt {prompt:?}"));
        }
        if let Some(tape) = &self.ended_tape {
            let ends = format!("; the recording {tape} ends here, before the program did");
            summary.push_str(&ends);
        }
        summary
    }
}

impl fmt::Display for Miss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.summary())?;
        if let Some(nearest) = &self.nearest {
            write!(
                f,
                "; the closest is exchange {} of {} (line {})",
                nearest.exchange, nearest.tape_id, nearest.line
            )?;
            if nearest.is_used_up() {
                f.write_str(", which has already been played")?;
            } else if let Some(differs) = nearest.differs.first() {
                write!(f, ", where {differs}")?;
            }
        }
        match self.hints.split_first() {
            None => Ok(()),
            Some((first, rest)) => {
                write!(f, "; {first}")?;
                rest.iter().try_for_each(|hint| write!(f, ", or {hint}"))
            }
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = &self.part;
        match (&self.tape, &self.session) {
            _ if part == "state" => f.write_str("other inputs came before"),
            _ if part == UNFINISHED => {
                f.write_str("the recording ended in the middle of this input")
            }
            (Some(recorded), Some(asked)) if part == TERMINAL => {
                write!(f, "it was recorded {recorded}, but now runs {asked}")
            }
            (recorded, asked) => {
                let shown = |text: &Option<String>| match text {
                    Some(text) => format!("{text:?}"),
                    None => "none".to_owned(),
                };
                let (recorded, asked) = (shown(recorded), shown(asked));
                write!(f, "{part} differs: recorded {recorded}, now {asked}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_shown_by_their_names() {
        let named = with_key_names("a\u{3}\u{1b}[A\u{1b}OBq");
        assert_eq!(named, "a<C-c><Up><Down>q");
        let named = with_key_names("\u{1b}x\u{7f}\t\n\0ä");
        assert_eq!(named, "<Escape>x<BSpace>\t\n<C-@>ä");
        let miss = Miss {
            program: "less".into(),
            input: "\u{3}".into(),
            ..Miss::default()
        };
        assert!(miss.to_string().contains("answers \"<C-c>\""), "{miss}");
    }

    #[test]
    fn a_long_prompt_shows_its_end() {
        assert_eq!(ending("sqlite> "), "sqlite> ");
        let long = format!("{}ä> ", "x".repeat(500));
        assert_eq!(ending(&long), format!("…{}ä> ", "x".repeat(77)));
        assert_eq!(beginning("select"), "select");
        assert_eq!(
            beginning(&"ä".repeat(1_001)),
            format!("{}…", "ä".repeat(1_000))
        );
        let miss = Miss {
            program: "less".into(),
            prompt: long,
            input: "q".into(),
            ended_tape: None,
            is_start: false,
            nearest: None,
            hints: Vec::new(),
        };
        assert!(miss.to_string().len() < 200, "{miss}");
    }
}
