//! Reports in TAP.

use super::bad_input::{saved, write};

const REPORT: &str = "TAP version 13
# Subtest: adds
    ok 1 - inside
    not ok 2 - inside too
    1..2
not ok 1 - adds
  ---
  duration_ms: 3.2
  location: '/elsewhere/src/a.test.js:7:1'
  error: 'Expected 3, got 4'
  ...
ok 2 - subtracts # time=3ms
ok 3 - later # SKIP no network
not ok 4 - someday # TODO not written
ok
1..5
";

#[test]
fn a_report_in_tap_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "src/a.test.js", "");
    write(folder.path(), "results.tap", REPORT);
    let unit = saved(folder.path()).0.test_results.unit;
    assert_eq!((&*unit.framework, unit.passed, unit.failed), ("TAP", 2, 1));
    let failure = &unit.failures[0];
    assert_eq!((&*failure.file, failure.line), ("src/a.test.js", Some(7)));
    assert_eq!(
        (&*failure.test_name, failure.message.as_deref()),
        ("adds", Some("Expected 3, got 4"))
    );
    // Prose is no report.
    write(folder.path(), "results.tap", "ok then\nnot ok at all\n");
    assert_eq!(saved(folder.path()).0.test_results.unit.total, 0);
    // The form of Perl: details in comments after the result.
    let perl = "1..2\nok 1 - a\nnot ok 2 - b\n#   Failed test 'b'\n#   at t/x.t:12\n";
    write(folder.path(), "results.tap", perl);
    let unit = saved(folder.path()).0.test_results.unit;
    let failure = &unit.failures[0];
    assert_eq!((&*failure.file, failure.line), ("t/x.t", Some(12)));
    assert_eq!(failure.message.as_deref(), Some("Failed test 'b'"));
}
