//! What is printed of the checks: what is wrong comes first.

use crate::check::{self, Check, CheckState, all_good};
use crate::render::counted;
use crate::{Context, Exit, Failure};

pub(super) fn print(mut checks: Vec<Check>, context: &mut Context) -> Result<Exit, Failure> {
    let is_good = all_good(&checks);
    checks.sort_by_key(|check| match check.state {
        CheckState::Wrong => 0,
        CheckState::Warning => 1,
        CheckState::Ok => 2,
        CheckState::Absent => 3,
    });
    let summary = summary(&checks);
    let all = serde_json::json!({"ok": is_good, "summary": summary, "checks": checks});
    context.print_either(&all, |out| {
        writeln!(out, "{summary}")?;
        check::write(&checks, out)
    })?;
    Ok(Exit::of_success(is_good))
}

fn summary(checks: &[Check]) -> String {
    let count = |state: CheckState| checks.iter().filter(|check| check.state == state).count();
    let (wrong, warnings) = (count(CheckState::Wrong), count(CheckState::Warning));
    let ok = count(CheckState::Ok) + count(CheckState::Absent);
    if wrong + warnings == 0 {
        return format!("all {ok} checks are ok");
    }
    let warnings = counted(warnings as u64, "warning");
    format!("{wrong} wrong, {warnings}, {ok} ok")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_counts_each_state() {
        let checks = [
            Check::ok("").of("a"),
            Check::warning("").of("b"),
            Check::wrong("").of("c"),
            Check::ok("").of("d"),
        ];
        assert_eq!(summary(&checks), "1 wrong, 1 warning, 2 ok");
        assert_eq!(summary(&checks[..1]), "all 1 checks are ok");
        assert_eq!(summary(&checks[..2]), "0 wrong, 1 warning, 1 ok");
    }
}
