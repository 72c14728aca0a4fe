//! The text of the status line.

use crate::render::{Colour, Line, counted, on_one_line, seconds};
use ccd_protocol::exec::{ExecPhase, ExecProgress};
use std::time::Duration;

pub(super) fn status_line(progress: &ExecProgress, elapsed: Duration, is_cancelled: bool) -> Line {
    let mut parts = match progress.phase {
        ExecPhase::Queued => queued(progress),
        ExecPhase::Preparing => vec!["preparing".to_owned()],
        ExecPhase::Running => running(progress),
        ExecPhase::Finishing => vec!["finishing".to_owned()],
    };
    parts.push(seconds(elapsed.as_secs_f64().floor()));
    if is_cancelled {
        parts.push("cancelling".to_owned());
    }
    let mut line = Line::of(format!("… {}", parts.join(" · ")), Some(Colour::Dim));
    if let Some(silent_s) = progress.stalled_s {
        let mut text = format!(" · no output for {}", seconds(silent_s as f64));
        if let Some(evidence) = &progress.evidence {
            text += &format!(": {}", on_one_line(evidence));
        }
        line.push(text, Some(Colour::Notice));
    }
    line
}

fn queued(progress: &ExecProgress) -> Vec<String> {
    let mut parts = vec!["queued".to_owned()];
    if let Some(ahead) = progress.position.filter(|&ahead| ahead > 0) {
        parts.push(format!("{} ahead", counted(ahead, "run")));
    }
    if let Some(what) = &progress.waits_for {
        parts.push(format!("waits for {}", on_one_line(what)));
    }
    parts
}

fn running(progress: &ExecProgress) -> Vec<String> {
    let mut parts = Vec::new();
    match progress.turns {
        0 => parts.push("running".to_owned()),
        turns => parts.push(format!("turn {turns}")),
    }
    if progress.calls > 0 {
        parts.push(counted(progress.calls, "tool call"));
    }
    parts.extend(progress.tool.as_deref().map(on_one_line));
    if let Some(tokens) = progress.tokens.filter(|&tokens| tokens > 0) {
        parts.push(counted(tokens, "token"));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Style;

    fn text(progress: &ExecProgress) -> String {
        status_line(progress, Duration::from_millis(72_900), false).painted(Style::default())
    }

    #[test]
    fn each_phase_says_what_is_known() {
        let mut progress = ExecProgress {
            position: Some(2),
            ..ExecProgress::default()
        };
        assert_eq!(text(&progress), "… queued · 2 runs ahead · 1m12s");
        (progress.position, progress.waits_for) = (None, Some("pid 7".into()));
        assert_eq!(text(&progress), "… queued · waits for pid 7 · 1m12s");
        progress.phase = ExecPhase::Running;
        assert_eq!(text(&progress), "… running · 1m12s");
        (progress.turns, progress.calls) = (3, 5);
        progress.tool = Some("Bash".into());
        assert_eq!(text(&progress), "… turn 3 · 5 tool calls · Bash · 1m12s");
        progress.stalled_s = Some(130);
        progress.evidence = Some("sleep\n1000 runs".into());
        assert_eq!(
            text(&progress),
            "… turn 3 · 5 tool calls · Bash · 1m12s · no output for 2m10s: sleep 1000 runs"
        );
        progress.phase = ExecPhase::Finishing;
        assert!(text(&progress).starts_with("… finishing · 1m12s"));
    }

    #[test]
    fn a_run_that_is_being_cancelled_says_so() {
        let line = status_line(&ExecProgress::default(), Duration::ZERO, true);
        assert_eq!(line.painted(Style::default()), "… queued · 0s · cancelling");
    }
}
