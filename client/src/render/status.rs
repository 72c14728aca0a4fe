//! The daemon's state.

use super::Printer;
use super::exec::seconds;
use super::short::size;
use super::words::joined;
use ccd_base::clock;
use ccd_protocol::daemon::{DaemonStatusReply, HandOver, HandOverCause};
use ccd_protocol::hook::HookStatus;
use std::collections::BTreeMap;
use std::io;

/// Writes the daemon's state, limits, paths and resource use, one field per line.
pub(crate) fn status(status: &DaemonStatusReply, out: &mut Printer<'_>) -> io::Result<()> {
    let sessions = status.sessions;
    let max = match sessions.max {
        0 => "no limit".to_owned(),
        max => format!("at most {max}"),
    };
    let (version, protocol) = (&status.version, status.protocol);
    let (live, ended) = (sessions.live, sessions.ended);
    let (running, queued) = (status.jobs.running, status.jobs.queued);
    let handover = status.last_hand_over.as_ref().map(handover_line);
    let mut fields = vec![
        ("version", format!("{version}, protocol {protocol}")),
        ("pid", pids(status)),
        ("uptime", seconds(status.uptime_s)),
        ("handover", handover.unwrap_or_default()),
        ("socket", status.socket.clone()),
        ("sessions", format!("{live} live ({max}), {ended} ended")),
        ("jobs", format!("{running} running, {queued} queued")),
        ("clients", status.connections.to_string()),
    ];
    let paths = status.paths.iter();
    fields.extend(paths.map(|(name, path)| ("path", format!("{name} {path}"))));
    if !status.paths.contains_key("config") {
        fields.push(("config", "no file, the defaults apply".to_owned()));
    }
    fields.extend([
        ("limits", limits(&status.limits)),
        ("on disk", listed(&status.sizes, |&bytes| size(bytes))),
        ("queues", listed(&status.queues, u64::to_string)),
        ("dropped", listed(&status.drops, u64::to_string)),
        (
            "hooks",
            status.hooks.as_ref().map(hooks_line).unwrap_or_default(),
        ),
    ]);
    for (name, texts) in [
        ("lacks", &status.lacks),
        ("config", &status.config_warnings),
    ] {
        fields.extend(texts.iter().map(|text| (name, text.clone())));
    }
    // A daemon that has started in spite of it warns of the same.
    let refused = status.config_error.iter();
    let refused = refused.filter(|text| !status.config_warnings.contains(text));
    fields.extend(refused.map(|text| ("config", format!("refused, the old one stays: {text}"))));
    let errors = status.last_errors.iter();
    fields.extend(errors.map(|text| ("error", text.clone())));
    out.fields(10, &fields)
}

/// The process id of the worker, and that of the holder if it is another process.
fn pids(status: &DaemonStatusReply) -> String {
    let (pid, holder) = (status.pid, status.holder_pid);
    if pid == holder {
        return pid.to_string();
    }
    format!("{pid}, holder {holder}")
}

/// How often hooks ran, and what the spool holds; an empty text if neither.
fn hooks_line(hooks: &HookStatus) -> String {
    let count: u64 = hooks.events.iter().map(|event| event.count).sum();
    let spool = hooks.spool;
    let parts = [
        (count, "ran since the start"),
        (spool.files, "in the spool"),
        (spool.lost, "lost"),
    ];
    let parts = parts.iter().filter(|(number, _)| *number > 0);
    joined(", ", parts.map(|(number, what)| format!("{number} {what}")))
}

fn handover_line(hand_over: &HandOver) -> String {
    let cause = match hand_over.cause {
        HandOverCause::Crash => "crash",
        HandOverCause::Upgrade => "upgrade",
    };
    let age = clock::parse(&hand_over.at).and_then(|at| at.elapsed().ok());
    let when = match age {
        Some(age) => format!("{} ago", seconds(age.as_secs_f64())),
        None => hand_over.at.clone(),
    };
    let rolled_back = if hand_over.rolled_back {
        ", rolled back"
    } else {
        ""
    };
    let reason = hand_over
        .reason
        .as_ref()
        .map(|reason| format!(": {reason}"));
    let (number, reason) = (hand_over.number, reason.unwrap_or_default());
    format!("{number} ({cause}), {when}{rolled_back}{reason}")
}

fn listed(numbers: &BTreeMap<String, u64>, show: impl Fn(&u64) -> String) -> String {
    let some = numbers.iter().filter(|&(_, &number)| number > 0);
    joined(
        ", ",
        some.map(|(name, number)| format!("{name} {}", show(number))),
    )
}

fn limits(limits: &BTreeMap<String, u64>) -> String {
    let shown = limits.iter().map(|(name, &limit)| {
        let (name, limit) = match (name.strip_suffix("_s"), name.strip_suffix("_bytes")) {
            _ if limit == 0 => (name.trim_end_matches("_s"), "none".to_owned()),
            (Some(name), _) => (name, format!("{limit} s")),
            (None, Some(_)) => (name.as_str(), size(limit)),
            _ if name == "max_output_size" => (name.as_str(), size(limit)),
            _ => (name.as_str(), limit.to_string()),
        };
        format!("{name} {limit}")
    });
    joined(", ", shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hand_over_has_number_cause_age_and_reason() {
        let mut hand_over = HandOver {
            number: 2,
            cause: HandOverCause::Upgrade,
            rolled_back: false,
            reason: None,
            at: "some day".to_owned(),
        };
        assert_eq!(handover_line(&hand_over), "2 (upgrade), some day");
        hand_over.at = "2020-01-01T00:00:00.000Z".to_owned();
        assert!(handover_line(&hand_over).ends_with("h ago"));
        (hand_over.rolled_back, hand_over.reason) = (true, Some("it ended".to_owned()));
        assert!(handover_line(&hand_over).ends_with(" ago, rolled back: it ended"));
    }

    #[test]
    fn a_limit_has_its_unit_and_none_is_a_word() {
        let given = [
            ("batch", 100),
            ("frame_bytes", 16 << 20),
            ("max_output_size", 1 << 20),
            ("max_sessions", 0),
            ("session_timeout_s", 300),
        ];
        let given = given.map(|(name, limit)| (name.to_owned(), limit));
        assert_eq!(
            limits(&BTreeMap::from(given)),
            "batch 100, frame_bytes 16M, max_output_size 1.0M, max_sessions none, session_timeout 300 s"
        );
    }

    #[test]
    fn what_is_zero_is_not_worth_a_word() {
        let numbers = BTreeMap::from([("a".to_owned(), 0), ("b".to_owned(), 2)]);
        assert_eq!(listed(&numbers, u64::to_string), "b 2");
        let mut hooks = HookStatus::default();
        assert_eq!(hooks_line(&hooks), "");
        (hooks.spool.files, hooks.spool.lost) = (3, 1);
        assert_eq!(hooks_line(&hooks), "3 in the spool, 1 lost");
    }
}
