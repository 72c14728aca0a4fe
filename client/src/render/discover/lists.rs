//! Lists of reports.

use crate::render::short::age;
use crate::render::style::{Colour, Style};
use crate::render::table::Cell;
use crate::render::{Table, shell_line};
use ccd_protocol::black_box::{TestReportSummary, TestType};
use ccd_protocol::investigate::InvestigationSummary;
use std::io::{self, Write};
use std::time::SystemTime;

/// Characters of an id on a terminal.
const SHORT: usize = 8;

pub(crate) fn investigations(
    all: &[InvestigationSummary],
    out: &mut dyn Write,
    style: Style,
) -> io::Result<()> {
    let mut table = Table::new([
        "REPORT", "AGE", "COMMANDS", "STATES", "FINDINGS", "VERSION", "PROGRAM",
    ]);
    for report in all {
        table.row([
            id(&report.id, style),
            age(&report.completed_at, SystemTime::now()).into(),
            report.commands.to_string().into(),
            report.states.to_string().into(),
            count(report.findings),
            report.version.as_deref().unwrap_or_default().into(),
            command(&report.program, &report.args),
        ]);
    }
    table.write(out, style)
}

pub(crate) fn test_reports(
    all: &[TestReportSummary],
    out: &mut dyn Write,
    style: Style,
) -> io::Result<()> {
    let mut table = Table::new(["REPORT", "AGE", "PASSED", "FAILED", "PROGRAM"]);
    for report in all {
        let failed: Vec<&str> = report
            .failed
            .iter()
            .map(|one| TestType::name(*one))
            .collect();
        let failed = if failed.is_empty() {
            Cell::from("")
        } else {
            Cell::coloured(failed.join(","), Colour::Bad)
        };
        table.row([
            id(&report.id, style),
            age(&report.completed_at, SystemTime::now()).into(),
            format!("{}/{}", report.summary.passed, report.summary.total).into(),
            failed,
            command(&report.program, &report.args),
        ]);
    }
    table.write(out, style)
}

fn id(id: &str, style: Style) -> Cell {
    if style.is_terminal {
        id.chars().take(SHORT).collect::<String>().into()
    } else {
        id.into()
    }
}

fn count(findings: u64) -> Cell {
    match findings {
        0 => "0".into(),
        findings => Cell::coloured(findings.to_string(), Colour::Bad),
    }
}

fn command(program: &String, args: &[String]) -> Cell {
    shell_line(std::iter::once(program).chain(args)).into()
}
