//! Lists of reports.

use crate::render::short::age;
use crate::render::style::Colour;
use crate::render::table::Cell;
use crate::render::words::program_line;
use crate::render::{Printer, Table};
use ccd_protocol::black_box::TestReportSummary;
use ccd_protocol::investigate::InvestigationSummary;
use std::io;
use std::time::SystemTime;

pub(crate) fn investigations(
    all: &[InvestigationSummary],
    out: &mut Printer<'_>,
) -> io::Result<()> {
    let mut table = Table::new([
        "REPORT", "AGE", "COMMANDS", "STATES", "FINDINGS", "VERSION", "PROGRAM",
    ]);
    for report in all {
        table.row([
            out.id(&report.id).into(),
            age(&report.completed_at, SystemTime::now()).into(),
            report.commands.to_string().into(),
            report.states.to_string().into(),
            Cell::problems(report.findings),
            report.version.as_deref().unwrap_or_default().into(),
            program_line(&report.program, &report.args).into(),
        ]);
    }
    table.write(out)
}

pub(crate) fn test_reports(all: &[TestReportSummary], out: &mut Printer<'_>) -> io::Result<()> {
    let mut table = Table::new(["REPORT", "AGE", "PASSED", "FAILED", "PROGRAM"]);
    for report in all {
        let failed: Vec<&str> = report.failed.iter().map(|one| one.name()).collect();
        let failed = match &*failed {
            [] => Cell::from(""),
            failed => Cell::coloured(failed.join(","), Colour::Bad),
        };
        table.row([
            out.id(&report.id).into(),
            age(&report.completed_at, SystemTime::now()).into(),
            format!("{}/{}", report.summary.passed, report.summary.total).into(),
            failed,
            program_line(&report.program, &report.args).into(),
        ]);
    }
    table.write(out)
}
