//! Black-box tests.

use super::reports::reported;
use super::start::{driver, limits, time_limit};
use crate::config::TestingKeys;
use crate::daemon::Daemon;
use crate::failure::{CallError, Failure, invalid};
use crate::job::{JobHandle, Outcome};
use ccd_discover::baseline::{Baseline, BaselineError};
use ccd_discover::black_box::{Options, TestBounds, Tester};
use ccd_discover::drive::Target;
use ccd_discover::new_uuid;
use ccd_discover::reports::{Reports, Saved};
use ccd_protocol::black_box::{
    TestJobResult, TestLimits, TestReport, TestRunParams, TestSummary, TestType,
};
use ccd_protocol::investigate::{InvestigationEnd, InvestigationReport};
use ccd_protocol::{Inherited, JobStarted};
use ccd_session::peer::Peer;
use ccd_store::blocking;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const MAX_COPIES: u64 = 32;
const MAX_FUZZ_INPUTS: u64 = 10_000_000;

/// How many investigations of a program are looked at for one with the same arguments.
const MAX_LOOKED_AT: usize = 100;

pub(crate) async fn test(
    daemon: &Arc<Daemon>,
    peer: &Peer,
    params: TestRunParams,
) -> Result<JobStarted, Failure> {
    let loaded = daemon.loaded();
    let config = &loaded.config;
    let (bounds, timeout) = bounds(&config.testing, &params.limits)?;
    let inherited = Inherited {
        caller_env: params.caller_env,
        umask: params.umask,
        limits: params.caller_limits,
    };
    let target = Target::find(
        &params.program,
        &params.args,
        params.cwd.as_deref(),
        params.env,
        inherited,
        false,
    )?;
    let limits = limits(config);
    let id = new_uuid();
    let options = Options {
        types: types(&params.types),
        seed: params.seed.unwrap_or_else(rand::random),
        bounds,
        safe_mode: config.safe_mode,
        timeout,
        words: words(daemon, &target).await,
        tapes: Some(daemon.test_reports.tapes_of(&id)),
        library: daemon.services.library.fresh().await,
        report: id,
    };
    let report = new_report(&target, &options);
    let driver = driver(daemon, peer, "test.run", target, limits, options.safe_mode).await?;
    let reports = Arc::clone(&daemon.test_reports);
    let baseline = baseline(&reports, params.baseline, &report.program).await?;
    let work = move |handle: JobHandle| async move {
        let reported = reported(&reports, &handle, report, async |keep| {
            let run = Tester { driver, options }.run(Arc::new(keep), handle.cancelled());
            let mut report = run.await;
            if let Some(baseline) = baseline {
                baseline.apply(&mut report);
            }
            report
        });
        match reported.await {
            Ok((path, report)) => outcome(report, &path, handle.cancelled().is_cancelled()),
            Err(error) => Outcome::failed(error.to_string()),
        }
    };
    let job = daemon.jobs.start("test.run", None, work).await?;
    Ok(JobStarted { job })
}

/// Returns the wanted types in their order; all if none is named.
fn types(wanted: &[TestType]) -> Vec<TestType> {
    let mut types = TestType::ALL.to_vec();
    types.retain(|test| wanted.is_empty() || wanted.contains(test));
    types
}

/// Returns the limits of a request, or else of the configuration.
fn bounds(keys: &TestingKeys, given: &TestLimits) -> Result<(TestBounds, Duration), CallError> {
    let timeout = Duration::from_secs(keys.timeout.into());
    let timeout = time_limit("limits.timeout_s", given.timeout_s, timeout)?;
    let within = |name: &str, given: Option<u64>, default: u32, max: u64| match given {
        None => Ok(default.into()),
        Some(number) if (1..=max).contains(&number) => Ok(number),
        Some(number) => Err(invalid(format!(
            "limits.{name} is {number}: give 1 to {max}"
        ))),
    };
    let bounds = TestBounds {
        memory_mb: within("memory_mb", given.memory_mb, keys.memory_mb, u64::MAX)?,
        cpu_percent: within("cpu_percent", given.cpu_percent, keys.cpu_percent, u64::MAX)?,
        copies: within("copies", given.copies, keys.copies, MAX_COPIES)?,
        fuzz_inputs: within(
            "fuzz_inputs",
            given.fuzz_inputs,
            keys.fuzz_inputs,
            MAX_FUZZ_INPUTS,
        )?,
    };
    Ok((bounds, timeout))
}

/// Returns the commands of the program's states in its newest investigation, if possible one that was not cut off.
async fn words(daemon: &Daemon, target: &Target) -> Vec<String> {
    let (program, args) = (target.program.clone(), target.args.clone());
    let reports = Arc::clone(&daemon.investigations);
    let listed = blocking(move || reports.list(Some(&program), MAX_LOOKED_AT)).await;
    let reports = listed.map_or_else(|_| Vec::new(), |listed| listed.reports);
    let mut of_args = reports.iter().filter(|saved| saved.report.args == args);
    let is_complete =
        |saved: &&Saved<InvestigationReport>| saved.report.end == InvestigationEnd::Complete;
    let newest = of_args.clone().find(is_complete).or(of_args.next());
    let states = newest.into_iter().flat_map(|saved| &saved.report.states);
    states.flat_map(|state| state.commands.clone()).collect()
}

async fn baseline(
    reports: &Arc<Reports<TestReport>>,
    which: Option<String>,
    program: &str,
) -> Result<Option<Baseline>, BaselineError> {
    let Some(which) = which else {
        return Ok(None);
    };
    let (reports, program) = (Arc::clone(reports), program.to_owned());
    let loaded = blocking(move || Baseline::load(&reports, &which, &program)).await;
    Ok(Some(loaded?))
}

/// A report without results.
fn new_report(target: &Target, options: &Options) -> TestReport {
    let now = ccd_base::clock::now();
    TestReport {
        id: options.report.clone(),
        program: target.program.clone(),
        args: target.args.clone(),
        started_at: now.clone(),
        completed_at: now,
        seed: Some(options.seed),
        results: Vec::new(),
        summary: TestSummary::default(),
    }
}

/// Returns the result of the job; a report that was cut off is a result too.
fn outcome(report: TestReport, path: &Path, is_cancelled: bool) -> Outcome {
    let result = TestJobResult {
        id: report.id.clone(),
        path: path.display().to_string(),
        report,
    };
    if is_cancelled {
        Outcome::cancelled().with(result)
    } else {
        Outcome::done(result)
    }
}
