//! Tests of directories of reports.

use super::*;
use ccd_protocol::black_box::TestReport;
use ccd_protocol::investigate::InvestigationReport;
use proptest::prelude::*;
use rustix::fs::{FileType, Mode, mknodat};
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

fn report(id: &str, program: &str, time: &str) -> InvestigationReport {
    InvestigationReport {
        id: id.to_owned(),
        program: program.to_owned(),
        started_at: time.to_owned(),
        completed_at: time.to_owned(),
        ..InvestigationReport::default()
    }
}

fn ids(listed: &Listed<InvestigationReport>) -> Vec<&str> {
    let reports = listed.reports.iter();
    reports.map(|saved| saved.report.id.as_str()).collect()
}

#[test]
fn reports_are_saved_for_this_user_alone_and_listed_newest_first() {
    let base = tempfile::tempdir().unwrap();
    let reports = Reports::<InvestigationReport>::new(base.path());
    assert!(reports.list(None, 10).unwrap().reports.is_empty());
    let (old, new) = ("2025-01-01T00:00:00.000Z", "2025-01-02T00:00:00.000Z");
    let path = reports.save(&report("aaaa1", "/usr/bin/bc", new)).unwrap();
    assert_eq!(
        path,
        base.path()
            .join("investigations/bc_20250102T000000000Z.json")
    );
    reports.save(&report("aaaa2", "bc", new)).unwrap();
    reports.save(&report("bbbb1", "bash", old)).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(reports.folder())), (0o600, 0o700));
    let listed = reports.list(None, 10).unwrap();
    assert_eq!(ids(&listed), ["aaaa2", "aaaa1", "bbbb1"]);
    assert_eq!(ids(&reports.list(None, 1).unwrap()), ["aaaa2"]);
    assert_eq!(ids(&reports.list(Some("/bin/bash"), 9).unwrap()), ["bbbb1"]);
    assert_eq!(ids(&reports.list(Some("b"), 9).unwrap()), [""; 0]);
    assert_eq!(listed.reports[1].bytes, fs::metadata(&path).unwrap().len());
}

#[test]
fn a_report_is_found_by_id_prefix_file_name_and_path() {
    let base = tempfile::tempdir().unwrap();
    let reports = Reports::<InvestigationReport>::new(base.path());
    let time = "2025-01-01T00:00:00.000Z";
    let path = reports.save(&report("aaaa1", "bc", time)).unwrap();
    reports.save(&report("aaaa12", "bc", time)).unwrap();
    let name = path.file_name().unwrap().to_str().unwrap();
    for which in ["aaaa1", name, path.to_str().unwrap()] {
        assert_eq!(reports.get(which).unwrap().report.id, "aaaa1", "{which}");
    }
    assert_eq!(reports.get("aaaa12").unwrap().report.id, "aaaa12");
    assert!(matches!(
        reports.get("aaaa"),
        Err(ReportError::Ambiguous { found, .. }) if found.len() == 2
    ));
    for which in ["aaa", "", "bbbb", "../x.json", ".json", "/etc/passwd"] {
        let error = reports.get(which).unwrap_err();
        assert!(matches!(error, ReportError::NotFound(_)), "{error}");
    }
    assert_eq!(reports.delete("aaaa1").unwrap(), path);
    assert!(!path.exists());
}

#[test]
fn other_files_are_left_out_with_a_warning_and_stay() {
    let base = tempfile::tempdir().unwrap();
    let reports = Reports::<InvestigationReport>::new(base.path());
    let path = reports
        .save(&report("aaaa1", "bc", "2025-01-01T00:00:00.000Z"))
        .unwrap();
    let put = |name: &str| reports.folder().join(name);
    fs::copy(&path, put("mine.json")).unwrap();
    fs::write(put("damaged.json"), "{\"id\": \"aaaa9\", ").unwrap();
    fs::write(put("other.json"), "[]").unwrap();
    fs::write(put("notes.txt"), "no report").unwrap();
    fs::create_dir(put("folder.json")).unwrap();
    symlink(&path, put("link.json")).unwrap();
    mknodat(
        rustix::fs::CWD,
        put("pipe.json"),
        FileType::Fifo,
        Mode::RWXU,
        0,
    )
    .unwrap();
    let listed = reports.list(None, 100).unwrap();
    assert_eq!(ids(&listed), ["aaaa1", "aaaa1"]);
    assert_eq!(listed.warnings.len(), 5, "{:?}", listed.warnings);
    assert!(reports.get("damaged.json").is_err());
    assert!(reports.get("pipe.json").is_err());
    let counted = reports.cleanup(3600.0, true).unwrap();
    let removed = reports.cleanup(3600.0, false).unwrap();
    assert_eq!(counted, removed);
    assert_eq!((removed.reports, removed.warnings.len()), (2, 5));
    assert!(put("damaged.json").exists() && put("link.json").symlink_metadata().is_ok());
    reports.delete("damaged.json").unwrap();
    assert!(!put("damaged.json").exists());
}

#[test]
fn a_cleanup_deletes_old_reports_alone() {
    let base = tempfile::tempdir().unwrap();
    let reports = Reports::<InvestigationReport>::new(base.path());
    reports
        .save(&report("aaaa1", "bc", "2025-01-01T00:00:00.000Z"))
        .unwrap();
    reports
        .save(&report("aaaa2", "bc", &ccd_base::clock::now()))
        .unwrap();
    let removed = reports.cleanup(86_400.0, false).unwrap();
    assert_eq!((removed.reports, removed.warnings.len()), (1, 0));
    assert!(removed.bytes > 0);
    assert_eq!(ids(&reports.list(None, 9).unwrap()), ["aaaa2"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn no_file_makes_the_directory_unusable(content in proptest::collection::vec(any::<u8>(), 0..200), name in "[a-z_0-9TZ-]{1,30}") {
        let base = tempfile::tempdir().unwrap();
        let reports = Reports::<TestReport>::new(base.path());
        fs::create_dir(reports.folder()).unwrap();
        fs::write(reports.folder().join(format!("{name}.json")), content).unwrap();
        let listed = reports.list(Some("x"), 10).unwrap();
        prop_assert!(listed.reports.is_empty());
        let _ = reports.get(&format!("{name}.json"));
        let _ = reports.get(&name);
    }
}

#[test]
fn the_tapes_of_a_report_go_with_it_and_nothing_else_does() {
    let base = tempfile::tempdir().unwrap();
    let reports = Reports::<InvestigationReport>::new(base.path());
    let time = "2025-01-01T00:00:00.000Z";
    let outside = base.path().join("x.tapes");
    for (id, tapes) in [
        ("aaaa1", reports.tapes_of("aaaa1")),
        ("../x", outside.clone()),
    ] {
        let path = reports.save(&report(id, "bc", time)).unwrap();
        fs::create_dir_all(&tapes).unwrap();
        fs::write(tapes.join("t.json5"), "{}").unwrap();
        reports.delete(path.to_str().unwrap()).unwrap();
        assert_eq!(tapes.exists(), tapes == outside);
    }
    reports.save(&report("bbbb2", "bc", time)).unwrap();
    fs::create_dir(reports.tapes_of("bbbb2")).unwrap();
    reports.cleanup(0.0, false).unwrap();
    assert!(!reports.tapes_of("bbbb2").exists());
}
