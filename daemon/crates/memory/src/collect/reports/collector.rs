//! Reads the reports of a project and puts those of one run together.

use super::files::groups;
use super::{CutOff, finish};
use crate::collect::facts::{Finding, Sourced, SuiteFacts, masked, stamp};
use crate::collect::project::Project;
use crate::disk::{modified, read, too_long};
use std::cmp::Reverse;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// Of a report that are read; a longer one is not a report of tests that a person reads.
const REPORT_BYTES: u64 = 16 * 1024 * 1024;
const MAX_REPORTS: usize = 400;

type Dated = (SystemTime, Sourced<SuiteFacts>);

/// Returns the results of each run, the newest first: of all runs, or of those with a report that was written after `since`.
/// The error is a sentence for the user.
pub(crate) fn reports(
    project: &Project,
    since: Option<SystemTime>,
) -> Result<Finding<Vec<Sourced<SuiteFacts>>>, String> {
    let root = &project.root;
    let mut found: Vec<(PathBuf, Dated)> = Vec::new();
    let mut bad: Vec<(SystemTime, String)> = Vec::new();
    let (mut number, mut redacted) = (0, 0);
    let is_new = |path: &PathBuf| modified(&root.join(path)) > since;
    for (module, paths) in groups(root) {
        if since.is_some() && !paths.iter().any(is_new) {
            continue;
        }
        let mut runs: Vec<Dated> = Vec::new();
        for path in paths {
            if Instant::now() >= project.deadline {
                return Err("there are too many reports for the time it has".to_owned());
            }
            number += 1;
            let is_read = number <= MAX_REPORTS;
            let Some(Ok(content)) = is_read.then(|| read(root, &path, REPORT_BYTES)) else {
                continue;
            };
            let changed = content.modified.unwrap_or(SystemTime::UNIX_EPOCH);
            let text = content.text();
            match super::read(root, &module, &path, &text) {
                Ok(None) => (),
                Ok(Some(_)) | Err(CutOff) if content.is_cut => {
                    bad.push((changed, too_long(&path, content.len, REPORT_BYTES)));
                }
                Err(CutOff) => bad.push((changed, format!("{} is cut off", path.display()))),
                Ok(Some(run)) => {
                    let failures = run.suite.failures.iter();
                    let messages = failures.filter_map(|failure| failure.message.as_deref());
                    redacted += masked(messages, &text);
                    runs.push((changed, sourced(run, &path, changed)));
                }
            }
        }
        found.extend(merge(runs).into_iter().map(|run| (module.clone(), run)));
    }
    let found = with_together(found);
    // A bad report that was followed by a good one does not matter any more.
    let newest = found.first().map(|(time, _)| *time);
    bad.retain(|(time, _)| Some(*time) >= newest);
    let mut left_out: Vec<String> = bad.into_iter().map(|(_, why)| why).collect();
    let too_many = format!("there are {number} reports; the limit is {MAX_REPORTS}");
    left_out.extend((number > MAX_REPORTS).then_some(too_many));
    Ok(Finding {
        value: found.into_iter().map(|(_, report)| report).collect(),
        left_out,
        redacted,
    })
}

fn sourced(mut run: SuiteFacts, path: &Path, changed: SystemTime) -> Sourced<SuiteFacts> {
    let at = run.last_run.get_or_insert_with(|| stamp(changed)).clone();
    Sourced {
        value: run,
        source: path.to_string_lossy().into_owned(),
        at: Some(at),
    }
}

/// Makes one run of all unit tests, and one of all e2e tests.
fn merge(runs: Vec<Dated>) -> Vec<Dated> {
    let mut merged: Vec<Dated> = Vec::new();
    for (time, run) in runs {
        let mut others = merged.iter_mut();
        let other = others.find(|(_, other)| other.value.is_e2e == run.value.is_e2e);
        let Some((newest, other)) = other else {
            merged.push((time, run));
            continue;
        };
        // The source is a report with failures, if there is one.
        if other.value.suite.failures.is_empty() && !run.value.suite.failures.is_empty() {
            other.source = run.source;
        }
        let (mut all, suite) = (std::mem::take(&mut other.value), run.value.suite);
        all.suite.passed += suite.passed;
        all.suite.failed += suite.failed;
        for failure in suite.failures {
            all.add(failure);
        }
        all.last_run = all.last_run.max(run.value.last_run);
        other.at.clone_from(&all.last_run);
        other.value = finish(all);
        *newest = time.max(*newest);
    }
    merged
}

/// Packages of one project that were tested within this time were tested together.
const TOGETHER: Duration = Duration::from_secs(60 * 60);

/// Returns the runs, the newest first, by the time of the file. Before them, one of the packages that were tested together.
fn with_together(mut found: Vec<(PathBuf, Dated)>) -> Vec<Dated> {
    found.sort_by_key(|(_, (time, _))| Reverse(*time));
    let (mut newest, mut seen) = ([None; 2], HashSet::new());
    let together = found.iter().filter(|(module, (time, run))| {
        let is_e2e = run.value.is_e2e;
        let newest = *newest[usize::from(is_e2e)].get_or_insert(*time);
        let is_recent = *time + TOGETHER >= newest;
        is_recent && module != Path::new("") && seen.insert((module, is_e2e))
    });
    let mut all = merge(together.map(|(_, run)| run.clone()).collect());
    all.extend(found.into_iter().map(|(_, run)| run));
    all.sort_by_key(|(time, _)| Reverse(*time));
    all
}
