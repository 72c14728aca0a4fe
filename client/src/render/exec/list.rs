//! The table of runs.

use super::text::{colour, dollars, seconds};
use crate::render::columns::{self, Column, ColumnCell};
use crate::render::short::age;
use crate::render::{Colour, Printer, on_one_line, short_id};
use ccd_protocol::exec::ExecutionSummary;
use std::io;
use std::path::Path;
use std::time::SystemTime;

const COLUMNS: [Column; 8] = [
    Column::new("RUN", 8, 0),
    Column::new("STATUS", 7, 0),
    Column::new("AGE", 3, 3),
    Column::new("TIME", 5, 4),
    Column::new("FILES", 5, 5),
    Column::new("COST", 7, 6),
    Column::new("REPOSITORY", 10, 2),
    Column::new("INSTRUCTION", 12, 0),
];

/// Writes one line per run: with a header and fitted to the terminal or, without a terminal, complete.
pub(crate) fn executions(all: &[ExecutionSummary], out: &mut Printer<'_>) -> io::Result<()> {
    let now = SystemTime::now();
    let is_terminal = out.style.is_terminal;
    let rows = all.iter().map(|run| cells(run, now, is_terminal));
    let mut rows: Vec<Vec<ColumnCell>> = rows.collect();
    if rows.is_empty() {
        return Ok(());
    }
    if is_terminal {
        rows.insert(0, columns::heading(&COLUMNS));
        return columns::write(&COLUMNS, &rows, out);
    }
    columns::write_words(rows, out)
}

fn cells(run: &ExecutionSummary, now: SystemTime, is_short: bool) -> Vec<ColumnCell> {
    let dim = Some(Colour::Dim);
    let id = if is_short {
        short_id(&run.request_id)
    } else {
        &run.request_id
    };
    let time = if run.status.has_ended() {
        seconds(run.execution_time)
    } else {
        String::new()
    };
    let files = match run.files_changed_count {
        0 => String::new(),
        files => files.to_string(),
    };
    vec![
        (id.to_owned(), None),
        (run.status.name().to_owned(), Some(colour(run.status))),
        (age(&run.timestamp, now), dim),
        (time, dim),
        (files, None),
        (run.cost_usd.map(dollars).unwrap_or_default(), dim),
        (repository(&run.repo_path, is_short), None),
        (on_one_line(&run.instruction), None),
    ]
}

/// A work tree: on a terminal by its last name, otherwise its path.
fn repository(path: &str, is_short: bool) -> String {
    let name = Path::new(path).file_name().filter(|_| is_short);
    let name = name.map_or(path.into(), |name| name.to_string_lossy());
    on_one_line(&name)
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
        printed_in(style, width, |out| executions(&runs(), out))
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
