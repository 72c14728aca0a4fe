//! The order of the steps of an investigation.

use super::finding::finding;
use super::inside::{self, HELP_WORD_OF_SHELLS, HELP_WORDS, NONSENSE};
use super::investigation::Investigation;
use super::state::same_prompt;
use super::{exits, explore, outside};
use crate::drive::{Reply, Running, SessionResult, Settled};
use crate::help::menu;
use ccd_protocol::investigate::{InvestigationEnd, InvestigationReport};
use tokio_util::sync::CancellationToken;

impl Investigation {
    /// Asks the program everything. If the work is cancelled or takes too long, the report has what was found so far.
    pub async fn run(self, cancel: &CancellationToken) -> InvestigationReport {
        self.notebook.keep();
        let end = tokio::select! {
            done = self.steps() => match done {
                Ok(()) => InvestigationEnd::Complete,
                Err(error) => {
                    self.notebook.note(format!("the investigation stopped: {error}"));
                    InvestigationEnd::Failed
                }
            },
            () = tokio::time::sleep(self.options.timeout) => InvestigationEnd::TimedOut,
            () = cancel.cancelled() => InvestigationEnd::Cancelled,
        };
        self.driver.end_all().await;
        let tapes = self.options.tapes.as_ref().filter(|tapes| tapes.is_dir());
        self.notebook.report().tape = tapes.map(|tapes| tapes.display().to_string());
        self.notebook.finish(end)
    }

    async fn steps(&self) -> SessionResult<()> {
        // One after the other: the first copy must not wait for processes for which it may leave no room.
        let outside = outside::ask(self).await?;
        self.note_outside(outside);
        self.notebook.keep();
        self.notebook.asking("start", "main");
        let (running, reply) = self.driver.start_and_wait().await?;
        if running.is_full_screen() {
            return self.note_full_screen(running).await;
        }
        match reply.settled {
            Settled::Waits { hidden: false } => return self.converse(running, &reply).await,
            Settled::Waits { hidden: true } => {
                let note = "it asks for hidden input at its start: nothing was typed there";
                self.notebook.report().interactive = true;
                self.notebook.state(reply.prompt.as_deref(), None);
                self.notebook.note(note.into());
            }
            _ => self.note_not_interactive(&reply),
        }
        self.driver.release(running);
        Ok(())
    }

    fn note_outside(&self, outside: outside::Outside) {
        for (form, help) in outside.help {
            self.notebook.help_command(&form);
            self.notebook.note_limit(&form, &help);
            self.notebook.commands(&help.commands, None);
            self.notebook.options(help.options, help.usage);
        }
        self.notebook.report().version = outside.version;
    }

    async fn note_full_screen(&self, running: Running) -> SessionResult<()> {
        {
            let mut report = self.notebook.report();
            (report.interactive, report.full_screen) = (true, true);
        }
        self.driver.release(running);
        self.notebook.state(None, None);
        self.notebook
            .note("it draws on the whole screen: only its help and its exits were tried".into());
        exits::ask(self, &exits::WORDS).await
    }

    /// Notes what a program did that never waited for input.
    fn note_not_interactive(&self, reply: &Reply) {
        let finding = finding(&self.notebook, usize::MAX, "start", reply);
        self.notebook.answer(None, "", reply);
        // It may work on for long without input, as a server does.
        if reply.settled == Settled::Hangs {
            self.notebook.note(format!(
                "it did not wait for input within {:.0} s after its start",
                reply.took.as_secs_f64()
            ));
        } else if let Some(finding) = finding {
            self.notebook.finding(finding);
        }
    }

    /// Asks a program that waits for input.
    async fn converse(&self, mut running: Running, first: &Reply) -> SessionResult<()> {
        let prompt = self.prompt(&mut running, first).await?;
        self.notebook.report().interactive = true;
        let (state, _) = self.notebook.state(prompt.as_deref(), None);
        let target = &self.driver.target;
        let is_shell = target.is_shell() || running.is_read_by_shell(target).await;
        self.driver.release(running);
        let (help_words, exit_words): (&[&str], &[&str]) = if is_shell {
            (&[HELP_WORD_OF_SHELLS], &exits::WORDS_OF_SHELLS)
        } else {
            (&HELP_WORDS, &exits::WORDS)
        };
        let help_words: Vec<String> = help_words.iter().map(|word| (*word).to_owned()).collect();
        let mut entry = inside::ask(self, state, Vec::new(), &help_words).await?;
        entry.take_menu(&self.notebook, menu(&first.shown()));
        self.notebook.keep();
        exits::ask(self, exit_words).await?;
        self.notebook.keep();
        if is_shell {
            self.notebook
                .note("it is a shell: its commands are programs, and were not tried".into());
            return Ok(());
        }
        explore::explore(self, entry).await
    }

    /// Returns the prompt: what looks like one at the start, or the last line after two different inputs, if it is the
    /// same. After an input that makes no sense, the program may wait for the rest of it with another prompt.
    async fn prompt(&self, running: &mut Running, first: &Reply) -> SessionResult<Option<String>> {
        let library = self.notebook.library();
        let mut prompts = Vec::new();
        for word in NONSENSE {
            self.notebook.asking(word, "main");
            let reply = running.ask(word).await?;
            if !reply.waits() || reply.is_hidden() {
                break;
            }
            prompts.push(reply.prompt);
        }
        let looks_right = |line: &String| library.is_prompt(line) || library.ends_as_prompt(line);
        if let Some(prompt) = first.prompt.clone().filter(looks_right) {
            return Ok(Some(prompt));
        }
        Ok(match &prompts[..] {
            [one, other] if same_prompt(one.as_deref(), other.as_deref()) => one.clone(),
            _ => None,
        })
    }
}
