//! A report of tests.

use crate::render::style::Colour;
use crate::render::words::program_line;
use crate::render::{Printer, on_one_line, printable};
use ccd_base::shell;
use ccd_protocol::black_box::{TestReport, TestResult};
use serde_json::{Map, Value};
use std::io;

/// Writes one line per test, with its findings below, then the sums. `path` is the file of the report.
pub(crate) fn test_report(
    report: &TestReport,
    path: Option<&str>,
    out: &mut Printer<'_>,
) -> io::Result<()> {
    for result in &report.results {
        one(result, out)?;
    }
    let (passed, failed) = (report.summary.passed, report.summary.failed);
    let program = printable(&program_line(&report.program, &report.args));
    let seed = report.seed.map(|seed| format!(", seed {seed}"));
    let seed = seed.unwrap_or_default();
    writeln!(out, "\n{program}: {passed} passed, {failed} failed{seed}")?;
    let file = path.map(|path| format!("  {}", printable(path)));
    let (id, file) = (printable(&report.id), file.unwrap_or_default());
    out.line(Colour::Dim, &format!("report {id}{file}"))
}

fn one(result: &TestResult, out: &mut Printer<'_>) -> io::Result<()> {
    let name = format!("{:<13}", result.test_type.name());
    if result.passed {
        let mark = out.paint(Colour::Good, "✓");
        writeln!(out, "{mark} {}", name.trim_end())?;
    } else {
        let error = result.error.as_deref().unwrap_or("failed");
        let mark = out.paint(Colour::Bad, "✗");
        writeln!(out, "{mark} {name} {}", on_one_line(error))?;
    }
    let findings = result.details.get("findings").and_then(Value::as_array);
    let findings = findings.into_iter().flatten().filter_map(Value::as_object);
    for found in findings {
        finding(found, out)?;
    }
    Ok(())
}

fn finding(found: &Map<String, Value>, out: &mut Printer<'_>) -> io::Result<()> {
    let text = |name: &str| found.get(name).and_then(Value::as_str);
    let is_known = found.get("known").and_then(Value::as_bool) == Some(true);
    let kind = on_one_line(text("kind").unwrap_or("finding"));
    let mut line = if is_known {
        format!("    {kind} (known)")
    } else {
        format!("    {}", out.paint(Colour::Notice, &kind))
    };
    if let Some(message) = text("message").or(text("signal")) {
        line += &format!(": {}", on_one_line(message));
    }
    writeln!(out, "{line}")?;
    // Bytes that nobody sees are escaped.
    if let Some(input) = text("input") {
        writeln!(out, "      input  {}", in_short(input))?;
    }
    if let Some(tape) = text("tape") {
        let command = format!("ccctl tape play {}", shell::line([&tape.to_owned()]));
        writeln!(out, "      tape   {}", printable(&command))?;
    }
    Ok(())
}

/// Returns the start of an input, and how long it is if that is not all.
fn in_short(input: &str) -> String {
    const SHOWN: usize = 200;
    match input.char_indices().nth(SHOWN) {
        None => printable(input),
        Some((end, _)) => format!("{}… ({} bytes)", printable(&input[..end]), input.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::printer::printed;

    #[test]
    fn each_test_has_a_line_and_its_findings_below() {
        let report: TestReport = serde_json::from_value(serde_json::json!({
            "id": "3f2a", "program": "mock", "args": ["-i"], "started_at": "", "completed_at": "", "seed": 7,
            "results": [
                {"id": "", "program": "mock", "timestamp": "", "test_type": "startup", "passed": true,
                 "details": {}, "error": null},
                {"id": "", "program": "mock", "timestamp": "", "test_type": "fuzz", "passed": false,
                 "details": {"findings": [{"kind": "crash", "input": "a\u{1b}[2J", "message": "ended by SIGSEGV",
                    "tape": "/t/a b.json5"}, {"kind": "hang", "known": true}]},
                 "error": "1 finding"},
            ],
            "summary": {"total": 2, "passed": 1, "failed": 1},
        }))
        .unwrap();
        let text = printed(|out| test_report(&report, None, out));
        assert_eq!(
            text,
            "✓ startup\n✗ fuzz          1 finding\n    crash: ended by SIGSEGV\n      input  a\\u{1b}[2J\n\
             \x20     tape   ccctl tape play '/t/a b.json5'\n    hang (known)\n\n\
             mock -i: 1 passed, 1 failed, seed 7\nreport 3f2a\n"
        );
    }
}
