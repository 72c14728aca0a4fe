//! Investigations.

use super::reports::{KeepNothing, reported};
use super::start::{driver, limits, time_limit};
use crate::config::Config;
use crate::daemon::Daemon;
use crate::failure::{CallError, Failure, invalid};
use crate::job::{JobHandle, Outcome};
use ccd_discover::drive::{Limits, Target, recorded_in};
use ccd_discover::investigate::{Investigation, Notebook, Options};
use ccd_discover::new_uuid;
use ccd_protocol::investigate::{
    InvestigateProbe, InvestigateProbeParams, InvestigateProbeReply, InvestigateRun,
    InvestigateRunParams, InvestigationEnd, InvestigationReport, InvestigationResult,
};
use ccd_protocol::{JobStarted, Method as _};
use ccd_session::peer::Peer;
use ccd_terminal::ProcessSettings;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const MAX_DEPTH: u32 = 20;

/// Longest wait for the start of a program that is only probed.
const PROBE_LIMIT: Duration = Duration::from_secs(3);

pub(crate) async fn investigate(
    daemon: &Arc<Daemon>,
    peer: &Peer,
    params: InvestigateRunParams,
) -> Result<JobStarted, Failure> {
    let loaded = daemon.loaded();
    let mut options = options(&loaded.config, &params)?;
    let (_, warnings) = ProcessSettings::allowed(&params.inherited);
    let target = Target::find(
        &params.program,
        &params.args,
        params.cwd.as_deref(),
        params.env,
        params.inherited,
        (params.sandbox).unwrap_or(loaded.config.investigation.sandbox),
    )?;
    let limits = limits(&loaded.config);
    let mut report = new_report(&target.program, &target.args, options.safe_mode);
    report.safety_notes.extend(warnings);
    let (method, is_safe) = (InvestigateRun::NAME, options.safe_mode);
    let mut driver = driver(daemon, peer, method, target, limits, is_safe).await?;
    if params.tape {
        let tapes = daemon.investigations.tapes_of(&report.id);
        driver.record = Some(recorded_in(&tapes, None));
        options.tapes = Some(tapes);
    }
    let library = daemon.services.library.fresh().await;
    let reports = Arc::clone(&daemon.investigations);
    let work = move |handle: JobHandle| async move {
        let reported = reported(&reports, &handle, report.clone(), |keep| {
            let investigation = Investigation {
                driver,
                notebook: Notebook::new(report, library, Box::new(keep)),
                options,
            };
            investigation.run(handle.cancelled())
        });
        match reported.await {
            Ok((path, report)) => outcome(report, &path),
            Err(error) => Outcome::failed(error.to_string()),
        }
    };
    let job = daemon.jobs.start(method, None, work).await?;
    Ok(JobStarted { job })
}

pub(crate) async fn probe(
    daemon: &Arc<Daemon>,
    peer: &Peer,
    params: InvestigateProbeParams,
) -> Result<InvestigateProbeReply, Failure> {
    let loaded = daemon.loaded();
    let config = &loaded.config;
    let target = Target::find(
        &params.program,
        &params.args,
        params.cwd.as_deref(),
        params.env,
        params.inherited,
        config.investigation.sandbox,
    )?;
    let options = Options {
        safe_mode: config.safe_mode,
        max_depth: 0,
        timeout: PROBE_LIMIT,
        tapes: None,
    };
    let limits = Limits {
        step: PROBE_LIMIT,
        start: PROBE_LIMIT,
    };
    let library = daemon.services.library.fresh().await;
    let report = new_report(&target.program, &target.args, options.safe_mode);
    let (method, is_safe) = (InvestigateProbe::NAME, options.safe_mode);
    let driver = driver(daemon, peer, method, target, limits, is_safe).await?;
    let notebook = Notebook::new(report, library, Box::new(KeepNothing));
    let investigation = Investigation {
        driver,
        notebook,
        options,
    };
    Ok(investigation.probe().await?)
}

/// An empty report; it is marked as failed until it is complete.
pub(super) fn new_report(program: &str, args: &[String], safe_mode: bool) -> InvestigationReport {
    let now = ccd_base::clock::now();
    InvestigationReport {
        id: new_uuid(),
        program: program.to_owned(),
        args: args.to_vec(),
        started_at: now.clone(),
        completed_at: now,
        safe_mode,
        end: InvestigationEnd::Failed,
        ..InvestigationReport::default()
    }
}

fn options(config: &Config, params: &InvestigateRunParams) -> Result<Options, CallError> {
    let keys = &config.investigation;
    let timeout = Duration::from_secs(keys.timeout.into());
    let timeout = time_limit("timeout_s", params.timeout_s, timeout)?;
    let max_depth = params.max_depth.unwrap_or(keys.max_depth);
    if !(1..=MAX_DEPTH).contains(&max_depth) {
        let text = format!("max_depth {max_depth} is not between 1 and {MAX_DEPTH}");
        return Err(invalid(text));
    }
    Ok(Options {
        safe_mode: params.safe_mode.unwrap_or(config.safe_mode),
        max_depth,
        timeout,
        tapes: None,
    })
}

/// Returns the result of the job; a report that was cut off is a result too.
fn outcome(report: InvestigationReport, path: &Path) -> Outcome {
    let end = report.end;
    let why = report.safety_notes.last().cloned();
    let result = InvestigationResult {
        id: report.id.clone(),
        path: path.display().to_string(),
        report,
    };
    match end {
        InvestigationEnd::Complete | InvestigationEnd::TimedOut => Outcome::done(result),
        InvestigationEnd::Cancelled => Outcome::cancelled().with(result),
        InvestigationEnd::Failed => Outcome::failed(why.unwrap_or_default()).with(result),
    }
}
