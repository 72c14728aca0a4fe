//! The page of a report: results, evidence, findings with a picture of the screen.

use super::evidence::{ReportedFinding, findings, rest};
use super::style::STYLE;
use crate::markup::{escaped, visible};
use ccd_base::shell::quoted;
use ccd_protocol::black_box::{TestReport, TestResult};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Returns a page without scripts and without other files. `pictures` has the screen at the end of each tape, as the
/// address of an image, by the path of the tape.
pub fn page(report: &TestReport, pictures: &BTreeMap<String, String>) -> String {
    let command = command_line(report);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Tests of {0}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>Tests of <code>{0}</code></h1>\n",
        escaped(&visible(&command))
    );
    head(report, &mut page);
    overview(report, &mut page);
    for result in &report.results {
        section(report, result, pictures, &mut page);
    }
    page.push_str("</body>\n</html>\n");
    page
}

pub(super) fn command_line(report: &TestReport) -> String {
    let words = std::iter::once(&report.program).chain(&report.args);
    words.map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

// Writing to a text cannot fail.
fn head(report: &TestReport, page: &mut String) {
    let seed = report.seed.map(|seed| format!(", seed {seed}"));
    let _ = writeln!(
        page,
        "<p class=\"dim\">{} to {}{} · report {}</p>",
        escaped(&visible(&report.started_at)),
        escaped(&visible(&report.completed_at)),
        seed.unwrap_or_default(),
        escaped(&visible(&report.id))
    );
}

fn overview(report: &TestReport, page: &mut String) {
    let failed = report.results.iter().filter(|result| !result.passed);
    let (failed, total) = (failed.count(), report.results.len());
    let _ = match failed {
        0 => writeln!(page, "<p class=\"good mark\">All {total} tests passed.</p>"),
        _ => writeln!(
            page,
            "<p class=\"bad mark\">{failed} of {total} tests failed.</p>"
        ),
    };
    page.push_str(
        "<table>\n<tr><th>test</th><th>result</th><th>findings</th><th>error</th></tr>\n",
    );
    for result in &report.results {
        let name = result.test_type.name();
        let all = findings(result);
        let known = all.iter().filter(|found| found.known).count();
        let known = match known {
            0 => String::new(),
            known => format!(", {known} known"),
        };
        let _ = writeln!(
            page,
            "<tr><td><a href=\"#{name}\">{name}</a></td><td>{}</td><td>{}{known}</td><td>{}</td></tr>",
            mark(result),
            all.len(),
            escaped(&visible(result.error.as_deref().unwrap_or_default()))
        );
    }
    page.push_str("</table>\n");
}

fn mark(result: &TestResult) -> &'static str {
    if result.passed {
        "<span class=\"good mark\">passed</span>"
    } else {
        "<span class=\"bad mark\">failed</span>"
    }
}

fn section(
    report: &TestReport,
    result: &TestResult,
    pictures: &BTreeMap<String, String>,
    page: &mut String,
) {
    let name = result.test_type.name();
    let _ = writeln!(page, "<h2 id=\"{name}\">{name} {}</h2>", mark(result));
    if let Some(error) = &result.error {
        let _ = writeln!(page, "<p class=\"bad\">{}</p>", escaped(error));
    }
    for found in findings(result) {
        finding(report, &found, pictures, page);
    }
    let rest = rest(result);
    if rest.is_empty() {
        return;
    }
    page.push_str("<table class=\"facts\">\n");
    for (name, value) in rest {
        let value = escaped(&value);
        let value = if value.contains('\n') {
            format!("<pre>{value}</pre>")
        } else {
            value
        };
        let _ = writeln!(page, "<tr><th>{}</th><td>{value}</td></tr>", escaped(&name));
    }
    page.push_str("</table>\n");
}

fn finding(
    report: &TestReport,
    found: &ReportedFinding,
    pictures: &BTreeMap<String, String>,
    page: &mut String,
) {
    let (class, known) = if found.known {
        ("known", " · known from the baseline")
    } else {
        ("bad", "")
    };
    let _ = writeln!(
        page,
        "<div class=\"finding\">\n<h3><span class=\"{class}\">{}</span><span class=\"dim\">{known}</span></h3>",
        escaped(&visible(&found.kind))
    );
    if let Some(message) = &found.message {
        let _ = writeln!(page, "<p>{}</p>", escaped(message));
    }
    let signal = found.signal.iter().map(|signal| format!("signal {signal}"));
    let status = found.exit_status.iter();
    let facts = signal.chain(status.map(|status| format!("exit status {status}")));
    let facts = facts.collect::<Vec<_>>().join(", ");
    if !facts.is_empty() {
        let _ = writeln!(page, "<p class=\"dim\">{}</p>", escaped(&visible(&facts)));
    }
    if let Some(input) = &found.input {
        // Each character that nobody sees is written as an escape.
        let lines = input.split_inclusive('\n');
        let input: String = lines
            .map(|line| format!("{}\n", line.escape_debug()))
            .collect();
        let _ = writeln!(page, "<dl>{}</dl>", quotation("Input", input.trim_end()));
    }
    if let Some(bytes) = &found.input_b64 {
        let bytes = quotation("Input in base64", &visible(bytes));
        let _ = writeln!(page, "<dl>{bytes}</dl>");
    }
    if let Some(tape) = &found.tape {
        replay(report, tape, pictures.get(tape), page);
    }
    page.push_str("</div>\n");
}

fn replay(report: &TestReport, tape: &str, picture: Option<&String>, page: &mut String) {
    let folder = Path::new(tape).parent().unwrap_or(Path::new("."));
    let play = format!("ccctl tape play {}", quoted(tape));
    let folder = quoted(&folder.to_string_lossy());
    let talk = format!("ccctl play --tapes {folder} -- {}", command_line(report));
    let _ = writeln!(
        page,
        "<dl>{}{}</dl>",
        quotation("Watch what happened", &visible(&play)),
        quotation("Talk to the tape in place of the program", &visible(&talk))
    );
    // Only addresses of images that are part of the page.
    if let Some(picture) = picture.filter(|picture| picture.starts_with("data:image/")) {
        let _ = writeln!(
            page,
            "<img src=\"{}\" alt=\"The screen at the end of the tape\">",
            escaped(picture)
        );
    }
}

fn quotation(title: &str, text: &str) -> String {
    format!("<dt>{title}</dt><dd><pre>{}</pre></dd>", escaped(text))
}
