//! The walk of `ccctl coach review` through the pending candidates, one by one, as `git add -p` does.

use crate::Failure;
use crate::fields::Fields as _;
use crate::render::{self, Colour, Printer, Style, joined, text};
use serde_json::{Value, json};
use std::io;

const HELP: &str = "\
a - approve: write it to the file where the project keeps its rules
e - edit its words, then ask again
r - reject: it is not proposed again
s - skip: leave it for later
v - view all evidence
d - show the change that approving it would make
u - undo the last decision of this review
q - quit; the rest stays as it is
? - show this help
";

/// What a walk needs: the daemon, the user, and the user's editor.
pub(super) trait Desk {
    fn call(&mut self, method: &str, params: &Value) -> Result<Value, Failure>;
    /// Lets the user change the words of a candidate; `None` if nothing was changed.
    fn reword(&mut self, candidate: &Value) -> Result<Option<Value>, Failure>;
    /// A line of the user; `None` at the end of the input.
    fn answer(&mut self) -> Option<String>;
    fn print(&mut self, text: &[u8]) -> Result<(), Failure>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Open,
    Approved,
    Rejected,
    Skipped,
    /// The daemon refused the decision.
    Failed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Ask,
    /// Show the current candidate, which may be another one, and ask.
    Show,
    Quit,
}

#[derive(Debug)]
pub(super) struct Walk {
    candidates: Vec<(Value, Outcome)>,
    /// The candidate that is asked about.
    at: usize,
    /// The candidates of the decisions that can be undone, the last one last.
    decided: Vec<usize>,
    /// The directory that the user works in.
    cwd: Option<String>,
    style: Style,
}

impl Walk {
    pub(super) fn new(candidates: &[Value], cwd: Option<String>, style: Style) -> Self {
        let open = |candidate: &Value| (candidate.clone(), Outcome::Open);
        Self {
            candidates: candidates.iter().map(open).collect(),
            at: 0,
            decided: Vec::new(),
            cwd,
            style,
        }
    }

    /// Asks about each candidate until all are decided or the user quits, then prints a summary.
    /// An error of the daemon about one candidate is printed, and the walk goes on.
    pub(super) fn run(mut self, desk: &mut impl Desk) -> Result<(), Failure> {
        let done = self.ask_about_all(desk);
        let summary = format!("{}\n", self.summary());
        desk.print(summary.as_bytes())?;
        done
    }

    fn ask_about_all(&mut self, desk: &mut impl Desk) -> Result<(), Failure> {
        let mut step = Step::Show;
        while let Some((candidate, _)) = self.candidates.get(self.at).cloned() {
            if step == Step::Show {
                self.show(desk, |out| {
                    writeln!(out)?;
                    render::summary(&candidate, out)
                })?;
            }
            desk.print(self.prompt(&candidate).as_bytes())?;
            let Some(answer) = desk.answer() else {
                desk.print(b"\n")?;
                return Ok(());
            };
            step = match self.act(answer.trim(), &candidate, desk) {
                Err(failure) if is_about_one(&failure) => {
                    let text = self.style.paint(Colour::Bad, &failure.line());
                    desk.print(format!("{text}\n").as_bytes())?;
                    self.after_failure(answer.trim())
                }
                done => done?,
            };
            if step == Step::Quit {
                return Ok(());
            }
        }
        Ok(())
    }

    fn prompt(&self, candidate: &Value) -> String {
        let undo = if self.decided.is_empty() { "" } else { "u," };
        let text = format!(
            "({}/{}) Approve this {} [a,e,r,s,v,d,{undo}q,?]?",
            self.at + 1,
            self.candidates.len(),
            candidate.text("candidate_type")
        );
        format!("{} ", self.style.paint(Colour::Notice, &text))
    }

    fn act(
        &mut self,
        answer: &str,
        candidate: &Value,
        desk: &mut impl Desk,
    ) -> Result<Step, Failure> {
        match answer.to_ascii_lowercase().as_str() {
            "" => return Ok(Step::Ask),
            "a" => return self.approve(candidate, desk),
            "e" => return self.edit(candidate, desk),
            "r" => return self.reject(candidate, desk),
            "s" => return Ok(self.next(Outcome::Skipped)),
            "v" => {
                let reply = self.get(candidate, desk)?;
                self.show(desk, |out| out.reply("evidence", &reply))?;
            }
            "d" => {
                let reply = self.get(candidate, desk)?;
                self.show(desk, |out| {
                    if reply.has("diff") {
                        render::diff(reply.text("diff"), out)
                    } else {
                        writeln!(out, "approving it would change nothing")
                    }
                })?;
            }
            "u" => return self.undo(desk),
            "q" => return Ok(Step::Quit),
            "?" => desk.print(HELP.as_bytes())?,
            // Pasted text must not decide anything.
            one if one.chars().nth(1).is_some() => {
                desk.print(b"one letter is expected; ? lists them\n")?;
            }
            _ => desk.print(HELP.as_bytes())?,
        }
        Ok(Step::Ask)
    }

    fn get(&self, candidate: &Value, desk: &mut impl Desk) -> Result<Value, Failure> {
        let params = json!({"id": candidate["id"], "cwd": self.cwd});
        desk.call("coach.get", &params)
    }

    fn approve(&mut self, candidate: &Value, desk: &mut impl Desk) -> Result<Step, Failure> {
        let params = json!({"id": candidate["id"], "cwd": self.cwd});
        self.decide("coach.approve", &params, "approved", desk)?;
        Ok(self.next(Outcome::Approved))
    }

    fn reject(&mut self, candidate: &Value, desk: &mut impl Desk) -> Result<Step, Failure> {
        desk.print(b"Reason (may be empty): ")?;
        let Some(reason) = desk.answer() else {
            desk.print(b"\n")?;
            return Ok(Step::Quit);
        };
        let reason = Some(reason.trim()).filter(|reason| !reason.is_empty());
        let params = json!({"id": candidate["id"], "reason": reason});
        self.decide("coach.reject", &params, "rejected", desk)?;
        Ok(self.next(Outcome::Rejected))
    }

    fn edit(&mut self, candidate: &Value, desk: &mut impl Desk) -> Result<Step, Failure> {
        let Some(mut params) = desk.reword(candidate)? else {
            say(desk, "nothing was changed")?;
            return Ok(Step::Ask);
        };
        params["id"] = candidate["id"].clone();
        self.decide("coach.edit", &params, "edited", desk)?;
        Ok(Step::Show)
    }

    /// Undoes the last decision, and goes back to its candidate.
    fn undo(&mut self, desk: &mut impl Desk) -> Result<Step, Failure> {
        let Some(&last) = self.decided.last() else {
            say(desk, "nothing was decided in this review")?;
            return Ok(Step::Ask);
        };
        let params = json!({"id": self.candidates[last].0["id"]});
        let reply = desk.call("coach.undo", &params)?;
        self.decided.pop();
        say(desk, &text("undone", &reply))?;
        self.candidates[last] = (reply.at("candidate").clone(), Outcome::Open);
        self.at = last;
        Ok(Step::Show)
    }

    /// Makes a decision and says so. The candidate may have another id afterwards.
    fn decide(
        &mut self,
        method: &str,
        params: &Value,
        done: &str,
        desk: &mut impl Desk,
    ) -> Result<(), Failure> {
        let reply = desk.call(method, params)?;
        say(desk, &text(done, &reply))?;
        for warning in reply.list("warnings").iter().filter_map(Value::as_str) {
            say(desk, &format!("warning: {warning}"))?;
        }
        self.candidates[self.at].0 = reply.at("candidate").clone();
        self.decided.push(self.at);
        Ok(())
    }

    /// Goes to the next candidate that is open: after an undo, later ones may be decided already.
    fn next(&mut self, outcome: Outcome) -> Step {
        self.candidates[self.at].1 = outcome;
        let rest = self.candidates[self.at..].iter();
        let decided = rest.take_while(|(_, outcome)| *outcome != Outcome::Open);
        self.at += decided.count();
        Step::Show
    }

    /// A decision that failed is not asked for again: the same answer may already be typed for the next candidate.
    fn after_failure(&mut self, answer: &str) -> Step {
        match answer {
            "a" | "A" | "r" | "R" => self.next(Outcome::Failed),
            _ => Step::Ask,
        }
    }

    fn show(
        &self,
        desk: &mut impl Desk,
        render: impl FnOnce(&mut Printer<'_>) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let mut text = Vec::new();
        render(&mut Printer::new(&mut text, self.style, None)).map_err(Failure::Output)?;
        desk.print(&text)
    }

    fn summary(&self) -> String {
        let count = |wanted| {
            let all = self.candidates.iter();
            all.filter(|(_, outcome)| *outcome == wanted).count()
        };
        let counts = [
            (Outcome::Approved, "approved"),
            (Outcome::Rejected, "rejected"),
            (Outcome::Skipped, "skipped"),
            (Outcome::Failed, "failed"),
            (Outcome::Open, "left"),
        ];
        let counts = counts.map(|(outcome, name)| (count(outcome), name));
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        joined(", ", counts.map(|(count, name)| format!("{count} {name}")))
    }
}

/// True for errors that say something about one candidate, and not about the connection or the terminal. Those of the
/// editor are [`Failure::Failed`] and [`Failure::Io`].
fn is_about_one(failure: &Failure) -> bool {
    matches!(
        failure,
        Failure::Refused { .. } | Failure::Failed(_) | Failure::Io { .. }
    )
}

fn say(desk: &mut impl Desk, text: &str) -> Result<(), Failure> {
    desk.print(format!("{text}\n").as_bytes())
}

#[cfg(test)]
#[path = "walk_tests.rs"]
mod tests;
