//! The result of a probe.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use std::time::Instant;

use super::line_modes::LineModes;

/// Whether the foreground of a terminal waits for input.
/// Sorted by precedence: a later variant overrides an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum InputWait {
    /// No task waits for this terminal.
    No,
    /// It is not visible; [`Probe::how`] says why.
    Unknown,
    /// A task waits for this terminal among other things, as a line editor or a full-screen program does.
    Accepts,
    /// A task is blocked in a read of this terminal only.
    Blocked,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputReader {
    pub pid: i32,
    pub tid: i32,
    /// How often the task had gone to sleep by itself, read before it was found waiting.
    pub voluntary_switches: u64,
    /// It also waits for a socket, so the other end can wake it.
    pub socket_in_set: bool,
    /// It waits for a limited time, so it continues by itself.
    pub has_timeout: bool,
    /// It reads a single byte.
    #[serde(default)]
    pub reads_one_byte: bool,
}

impl InputReader {
    /// Returns whether, as far as is visible, only input makes the task continue.
    pub(crate) fn waits_for_input_alone(&self) -> bool {
        !self.socket_in_set && !self.has_timeout
    }
}

/// The value of [`Probe::how`] where the platform does not show what programs wait for.
pub(super) const BLIND: &str = "platform";

/// The values of [`Probe::how`] for programs that pass input on to others.
pub(super) const RELAY: &str = "relay";
pub(super) const MULTIPLEXER: &str = "multiplexer";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probe {
    /// When it began: what it shows may be older by the time that somebody looks at it.
    #[serde(skip, default = "Instant::now")]
    pub at: Instant,
    /// The foreground process group; 0 if the terminal has none.
    pub foreground: i32,
    pub line: LineModes,
    pub verdict: InputWait,
    /// The reason for the verdict: the call that the reader is in (`read`, `poll`, `select`, `epoll`), `none` if no
    /// task waits for the terminal, `stopped` if one would but is stopped. For [`InputWait::Unknown`] the obstacle:
    /// `denied` (another user's or a protected program), `unseen` (no task of the group is visible), `limit` (more
    /// tasks or descriptors than one probe checks), `relay` (a task reads the terminal, but passes the input on to a
    /// program that is not visible), `multiplexer` (the same, and it draws a screen of its own), `elsewhere` (the
    /// group waits for another process, which may be reading the terminal), `platform`.
    pub how: Cow<'static, str>,
    /// The waiting task, for [`InputWait::Blocked`], [`InputWait::Accepts`] and a [relay](Probe::is_relay).
    pub reader: Option<InputReader>,
    /// The state letter of the foreground group's leader (R, S, D, T, t, Z …); `None` if it is not visible.
    pub foreground_state: Option<char>,
    /// How much output was not read from the master yet: the program may be further than its known output shows.
    pub unread_output_bytes: u64,
    /// The program is not visible, but sleeps and hides input (`sudo`, `su`, `passwd`), the terminal at a relay's far end
    /// hides it, or the reader is there to ask for secrets (`pinentry`). If that lasts for
    /// [`STALE_AFTER_WRITE`](super::STALE_AFTER_WRITE), it is a prompt for a secret.
    pub hidden_prompt_likely: bool,
}

impl Probe {
    /// Returns whether the platform shows nothing, so that the state must be guessed.
    pub fn is_blind(&self) -> bool {
        self.how == BLIND
    }

    /// Returns whether the reader passes input on to a program that is not visible, as `ssh`, `script` and `tmux` do.
    pub fn is_relay(&self) -> bool {
        self.how == RELAY || self.is_multiplexer()
    }

    /// Returns whether the reader draws a screen of its own, in which other programs run.
    pub fn is_multiplexer(&self) -> bool {
        self.how == MULTIPLEXER
    }

    /// Describes what the foreground does: `running`, `stopped` or `blocked reading its terminal`.
    pub fn activity(&self) -> &'static str {
        let alone = self
            .reader
            .as_ref()
            .is_some_and(InputReader::waits_for_input_alone);
        match self.verdict {
            InputWait::Blocked => "blocked reading its terminal",
            InputWait::Accepts if alone => "blocked reading its terminal",
            InputWait::No | InputWait::Unknown | InputWait::Accepts => {
                match self.foreground_state {
                    Some('T' | 't') => "stopped",
                    _ if self.how == "stopped" => "stopped",
                    _ => "running",
                }
            }
        }
    }
}

/// What is known from the tasks of the foreground group.
#[derive(Debug)]
pub(super) struct Finding {
    pub(super) verdict: InputWait,
    pub(super) how: &'static str,
    pub(super) reader: Option<InputReader>,
    pub(super) foreground_state: Option<char>,
    /// It is not visible in which call the program is blocked, but nothing shows that it runs.
    pub(super) sleeps_unseen: bool,
    /// The reader asks for a secret, though this terminal's modes do not show it.
    pub(super) asks_secret: bool,
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn sample(verdict: InputWait, reader: Option<InputReader>) -> Probe {
        Probe {
            at: Instant::now(),
            foreground: 7,
            line: LineModes::default(),
            verdict,
            how: Cow::Borrowed("none"),
            reader,
            foreground_state: Some('S'),
            unread_output_bytes: 0,
            hidden_prompt_likely: false,
        }
    }

    pub(in super::super) const READER: InputReader = InputReader {
        pid: 7,
        tid: 7,
        voluntary_switches: 40,
        socket_in_set: false,
        has_timeout: false,
        reads_one_byte: false,
    };

    #[test]
    fn an_activity_is_one_of_three() {
        const BLOCKED: &str = "blocked reading its terminal";
        let timed = InputReader {
            has_timeout: true,
            ..READER
        };
        let stopped = Probe {
            foreground_state: Some('T'),
            ..sample(InputWait::No, None)
        };
        for (probe, activity) in [
            (sample(InputWait::Blocked, Some(READER)), BLOCKED),
            (sample(InputWait::Accepts, Some(READER)), BLOCKED),
            (sample(InputWait::Accepts, Some(timed)), "running"),
            (sample(InputWait::No, None), "running"),
            (stopped, "stopped"),
        ] {
            assert_eq!(probe.activity(), activity, "{probe:?}");
        }
    }
}
