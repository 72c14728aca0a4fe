//! Sessions and repositories of a year.

use crate::event::{Event, Success};
use crate::signal::SignalType;
use serde_json::Value;

/// When and where something happens.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    /// Minutes since the start of the year.
    pub(super) minute: u64,
    pub(super) repository: u64,
}

#[derive(Debug)]
pub(super) struct Calendar {
    state: u64,
    pub(super) events: Vec<Event>,
    pub(super) successes: Vec<Success>,
}

pub(super) const DAYS: u64 = 365;
const REPOSITORIES: u64 = 5;
/// A session lasts so long at most. One starts in each repository at each multiple.
const SESSION_MINUTES: u64 = 6 * 60;

impl Calendar {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            state: seed,
            events: Vec::new(),
            successes: Vec::new(),
        }
    }

    /// Returns a number below `limit` (splitmix64).
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit.max(1)
    }

    pub(super) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len() as u64) as usize]
    }

    pub(super) fn moment(&mut self, from_day: u64, to_day: u64) -> Moment {
        let day = from_day + self.below(to_day.saturating_sub(from_day).max(1));
        // A working day is longer than the hours of an office.
        let minute = day.min(DAYS - 1) * 24 * 60 + 7 * 60 + self.below(15 * 60);
        Moment {
            minute,
            repository: self.below(REPOSITORIES),
        }
    }

    pub(super) fn event(
        &mut self,
        at: Moment,
        signal_type: SignalType,
        content: &str,
        context: Value,
    ) -> String {
        let id = format!("{:08x}", self.events.len());
        let second = self.below(60);
        // A repository has two clones: by SSH and by HTTPS.
        let clone = self.below(2);
        self.events.push(Event {
            id: id.clone(),
            timestamp: timestamp(at.minute, second),
            signal_type: Some(signal_type),
            repo_id: format!("{:08x}{clone:08x}", at.repository),
            repo_key: repo_key(at.repository),
            session_id: session(at),
            content: content.to_owned(),
            context: serde_json::from_value(context).unwrap_or_default(),
        });
        id
    }

    /// Adds a success in the same session, a minute later.
    pub(super) fn success(&mut self, after: Moment, command: &str) {
        self.successes.push(Success {
            timestamp: timestamp(after.minute + 1, 59),
            session_id: session(after),
            repo_id: String::new(),
            command: command.to_owned(),
        });
    }
}

pub(super) fn repo_key(repository: u64) -> String {
    format!("git.example.com/team/project-{repository}")
}

fn session(at: Moment) -> String {
    format!("s-{}-{}", at.repository, at.minute / SESSION_MINUTES)
}

/// Returns a time of the year 2025, which is no leap year.
fn timestamp(minute: u64, second: u64) -> String {
    const MONTHS: [u64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut day = minute / (24 * 60);
    let mut month = 1;
    for days in MONTHS {
        if day < days {
            break;
        }
        day -= days;
        month += 1;
    }
    let (hour, minute) = (minute / 60 % 24, minute % 60);
    format!(
        "2025-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z",
        day + 1
    )
}
