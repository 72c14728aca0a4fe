//! Investigations and black-box tests.

use crate::Result;
use crate::args::Args;
use crate::daemon::Daemon;
use crate::programs::is_installed;
use crate::report::{Line, Report};
use crate::samples::Samples;
use crate::wire::Wire;
use ccd_protocol::black_box::{TestJobResult, TestLimits, TestRun, TestRunParams, TestType};
use ccd_protocol::investigate::{InvestigateRun, InvestigateRunParams, InvestigationResult};
use ccd_protocol::job::{JobGet, JobGetParams, JobState};
use serde::de::DeserializeOwned;
use std::time::Instant;

/// Commands of sqlite3 with a description that an investigation must find.
const LEAST_COMMANDS: usize = 30;

const INVESTIGATION_GOAL_MS: f64 = 3_000.0;
const TESTS_GOAL_MS: f64 = 6_000.0;
const INPUTS_GOAL: f64 = 200.0;

/// Inputs of a run against `cat`.
const INPUTS: u64 = 2_000;

const MOCK_TARGET: &str = env!("CARGO_BIN_EXE_mock_target");

pub(crate) fn measure(args: &Args, report: &mut Report) -> Result<()> {
    let daemon = Daemon::start(args, "discover")?;
    let mut wire = daemon.connect()?;
    let rounds = args.amount(10, 2);
    if is_installed("sqlite3") {
        report.add(investigation(&mut wire, rounds)?);
    }
    report.add(all_tests(&mut wire, rounds)?);
    report.add(fuzz(args, &mut wire)?);
    Ok(())
}

fn investigation(wire: &mut Wire, rounds: usize) -> Result<Line> {
    let params = InvestigateRunParams {
        program: "sqlite3".into(),
        ..InvestigateRunParams::default()
    };
    let (mut samples, mut found) = (Samples::default(), 0);
    for _ in 0..rounds {
        let result = samples.time(|| -> Result<InvestigationResult> {
            let job = wire.call::<InvestigateRun>(&params)?.job;
            result_of(wire, &job)
        })?;
        let commands = result.report.commands.values();
        let described = commands.filter(|command| !command.description.is_empty());
        found = described.count();
        if found < LEAST_COMMANDS {
            return Err(format!("only {found} commands of sqlite3 were found").into());
        }
    }
    let what = format!("investigation of sqlite3, {found} commands with descriptions");
    Ok(Line::within_ms(&what, &samples, INVESTIGATION_GOAL_MS))
}

fn all_tests(wire: &mut Wire, rounds: usize) -> Result<Line> {
    let params = TestRunParams {
        program: MOCK_TARGET.into(),
        seed: Some(1),
        ..TestRunParams::default()
    };
    let mut samples = Samples::default();
    for _ in 0..rounds {
        let result = samples.time(|| -> Result<TestJobResult> {
            let job = wire.call::<TestRun>(&params)?.job;
            result_of(wire, &job)
        })?;
        if result.report.results.len() != TestType::ALL.len() {
            return Err(format!("a test is missing: {:?}", result.report).into());
        }
    }
    let what = "all seven black-box tests of a program with a crash, a hang, a flood and a leak";
    Ok(Line::within_ms(what, &samples, TESTS_GOAL_MS))
}

fn fuzz(args: &Args, wire: &mut Wire) -> Result<Line> {
    let inputs = args.amount(usize::try_from(INPUTS)?, 200) as u64;
    let params = TestRunParams {
        program: "cat".into(),
        types: vec![TestType::Fuzz],
        seed: Some(1),
        limits: TestLimits {
            fuzz_inputs: Some(inputs),
            ..TestLimits::default()
        },
        ..TestRunParams::default()
    };
    let start = Instant::now();
    let job = wire.call::<TestRun>(&params)?.job;
    let result: TestJobResult = result_of(wire, &job)?;
    let per_second = inputs as f64 / start.elapsed().as_secs_f64();
    if result.report.summary.failed > 0 {
        return Err(format!("cat has failed: {:?}", result.report).into());
    }
    Ok(Line {
        what: format!("fuzz inputs to `cat`, of {inputs}"),
        ccd: format!("{per_second:.0} per second"),
        goal: format!("≥ {INPUTS_GOAL} per second"),
        met: Some(per_second >= INPUTS_GOAL),
        ..Line::default()
    })
}

/// Waits for a job.
fn result_of<R: DeserializeOwned>(wire: &mut Wire, job: &str) -> Result<R> {
    let params = JobGetParams {
        job: job.to_owned(),
        wait_ms: Some(120_000.0),
    };
    let job = wire.call::<JobGet>(&params)?;
    match (job.state, job.result) {
        (JobState::Done, Some(result)) => Ok(serde_json::from_value(result)?),
        (state, _) => Err(format!("the job is {state:?}: {:?}", job.error).into()),
    }
}
