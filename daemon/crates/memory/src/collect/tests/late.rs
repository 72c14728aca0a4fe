//! Collectors that fail or are late.

use crate::collect::facts::CollectedPart;
use crate::collect::git::GitCollector;
use crate::collect::project::{Collector, Project};
use crate::collect::run::run;
use parking_lot::Mutex;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

struct Failing;

impl Collector for Failing {
    fn name(&self) -> &'static str {
        "failing"
    }

    fn collect(&self, _project: &Project, _deadline: Instant) -> Result<CollectedPart, String> {
        Err("the disk is on fire".to_owned())
    }
}

/// Waits until the test ends.
struct Late(Mutex<Receiver<()>>);

impl Collector for Late {
    fn name(&self) -> &'static str {
        "late"
    }

    fn collect(&self, _project: &Project, _deadline: Instant) -> Result<CollectedPart, String> {
        let _ = self.0.lock().recv();
        Ok(CollectedPart::Comments(Default::default()))
    }
}

struct Panicking;

impl Collector for Panicking {
    fn name(&self) -> &'static str {
        "panicking"
    }

    fn collect(&self, _project: &Project, _deadline: Instant) -> Result<CollectedPart, String> {
        panic!("a bug")
    }
}

#[test]
fn a_collector_that_fails_or_is_late_leaves_only_its_part_out() {
    let folder = tempfile::tempdir().unwrap();
    let project = Project::find(folder.path()).unwrap();
    let (_keep, receiver) = sync_channel(0);
    let collectors: Vec<Box<dyn Collector>> = vec![
        Box::new(Late(Mutex::new(receiver))),
        Box::new(Failing),
        Box::new(Panicking),
        Box::new(GitCollector),
    ];
    let facts = run(&project, collectors, Duration::from_secs(1));
    let mut warnings = facts.warnings();
    warnings.sort();
    assert_eq!(facts.git.unwrap().value.branch, "unknown");
    assert_eq!(warnings.len(), 3, "{warnings:?}");
    assert!(warnings[0].contains("on fire"), "{warnings:?}");
    assert!(
        warnings[1].starts_with("late: left out: not done within"),
        "{warnings:?}"
    );
    assert!(
        warnings[2].starts_with("panicking: left out"),
        "{warnings:?}"
    );
}
