//! Lists of reports.

use crate::render::style::Colour;
use crate::render::table::{Cell, Column, columns};
use crate::render::words::{joined, program_line};
use ccd_protocol::black_box::TestReportSummary;
use ccd_protocol::investigate::InvestigationSummary;

pub(crate) const INVESTIGATIONS: &[Column<InvestigationSummary>] = &columns! { |report|
    "REPORT" => Cell::id(&report.id),
    "AGE" => Cell::age(&report.completed_at),
    "COMMANDS" => report.commands,
    "STATES" => report.states,
    "FINDINGS" => Cell::problems(report.findings),
    "VERSION" => Cell::maybe(&report.version),
    "PROGRAM" => program_line(&report.program, &report.args),
};

pub(crate) const TEST_REPORTS: &[Column<TestReportSummary>] = &columns! { |report|
    "REPORT" => Cell::id(&report.id),
    "AGE" => Cell::age(&report.completed_at),
    "PASSED" => format!("{}/{}", report.summary.passed, report.summary.total),
    "FAILED" => Cell::coloured(joined(",", report.failed.iter().map(|one| one.name())), Colour::Bad),
    "PROGRAM" => program_line(&report.program, &report.args),
};
