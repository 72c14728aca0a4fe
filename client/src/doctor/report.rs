//! What is printed of the checks: what is wrong comes first.

use crate::check::{self, Check, CheckState, all_good};
use crate::render::counted;
use crate::{Context, Exit, Failure};

pub(super) fn print(mut checks: Vec<Check>, context: &mut Context) -> Result<Exit, Failure> {
    let is_good = all_good(&checks);
    checks.sort_by_key(|check| check.state);
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
        let facts = serde_json::json!([{"warning": "x"}, {"error": "x"}, {"ok": "x"}, {"ok": "x"}]);
        let checks = check::checks("config", facts);
        let by = |states: &[CheckState]| {
            let all = checks.iter().filter(|check| states.contains(&check.state));
            summary(&all.cloned().collect::<Vec<_>>())
        };
        assert_eq!(summary(&checks), "1 wrong, 1 warning, 2 ok");
        assert_eq!(by(&[CheckState::Ok]), "all 2 checks are ok");
        let good = [CheckState::Ok, CheckState::Warning];
        assert_eq!(by(&good), "0 wrong, 1 warning, 2 ok");
    }
}
