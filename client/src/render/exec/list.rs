//! The table of runs.

use super::text::{colour, dollars, seconds};
use crate::render::on_one_line;
use crate::render::table::{Cell, Column, columns};
use ccd_protocol::exec::ExecutionSummary;
use std::path::Path;

pub(crate) const EXECUTIONS: &[Column<ExecutionSummary>] = &columns! { |run|
    "RUN" (8, 0) => Cell::id(&run.request_id),
    "STATUS" (7, 0) => Cell::coloured(run.status.name(), colour(run.status)),
    "AGE" (3, 3) => Cell::age(&run.timestamp).dim(),
    "TIME" (5, 4) => {
        let has_ended = run.status.has_ended();
        Cell::maybe(&has_ended.then(|| seconds(run.execution_time))).dim()
    },
    "FILES" (5, 5) => {
        let files = run.files_changed_count;
        Cell::maybe(&(files > 0).then_some(files))
    },
    "COST" (7, 6) => Cell::maybe(&run.cost_usd.map(dollars)).dim(),
    "REPOSITORY" (10, 2) => repository(&run.repo_path),
    "INSTRUCTION" (12, 0) => on_one_line(&run.instruction),
};

/// A work tree: on a terminal by its last name, otherwise its path.
fn repository(path: &str) -> Cell {
    let name = Path::new(path).file_name();
    let name = name.map_or(path.into(), |name| name.to_string_lossy());
    Cell::short(&on_one_line(path), &on_one_line(&name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Style;
    use crate::render::printer::printed_in;
    use ccd_protocol::exec::ExecutionStatus;

    fn runs() -> [ExecutionSummary; 2] {
        let good = ExecutionSummary {
            request_id: "3f2a91bc-52a0-4000-8000-000000000000".into(),
            instruction: "add a\ntest \x1b[2Jlast".into(),
            status: ExecutionStatus::Success,
            execution_time: 72.0,
            repo_path: "/srv/my app".into(),
            files_changed_count: 3,
            cost_usd: Some(0.25),
            ..ExecutionSummary::default()
        };
        let running = ExecutionSummary {
            request_id: "4a".into(),
            instruction: "fix".into(),
            status: ExecutionStatus::Running,
            repo_path: "/srv/x".into(),
            ..ExecutionSummary::default()
        };
        [good, running]
    }

    fn shown(width: Option<usize>, style: Style) -> String {
        printed_in(style, width, |out| out.table(&runs(), EXECUTIONS))
    }

    #[test]
    fn without_a_terminal_a_line_is_complete_and_has_a_word_a_column() {
        let expected = "\
3f2a91bc-52a0-4000-8000-000000000000  success  -  1m12s  3  $0.2500  /srv/my_app  add a test last
4a                                    running  -  -      -  -        /srv/x       fix
";
        assert_eq!(shown(None, Style::default()), expected);
    }

    #[test]
    fn on_a_terminal_it_is_fitted() {
        let style = Style::TERMINAL;
        let expected = "\
RUN       STATUS   AGE  TIME   REPOSITORY  INSTRUCTION
3f2a91bc  success       1m12s  my app      add a test l…
4a        running              x           fix
";
        assert_eq!(shown(Some(56), style), expected);
        let narrow = shown(Some(30), style);
        assert!(narrow.lines().all(|line| line.chars().count() <= 30));
    }
}
