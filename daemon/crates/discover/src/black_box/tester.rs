//! The order of the tests, time limits and the report.

use super::draft::{Draft, KeepTests};
use super::help::ProgramHelp;
use super::options::Options;
use super::tested_program::TestedProgram;
use super::{concurrent, exit, fuzz, help, invalid_input, resource, startup};
use crate::drive::{Driver, SessionResult};
use ccd_protocol::black_box::{TestReport, TestSummary, TestType};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// How often the report so far is passed on.
const KEEP_PERIOD: Duration = Duration::from_millis(500);

/// A run of tests that has not begun.
pub struct Tester {
    pub driver: Driver,
    pub options: Options,
}

/// The results of all types, also of those that are not wanted but whose findings others need.
struct Drafts([Draft; TestType::ALL.len()]);

impl Drafts {
    fn get(&self, test: TestType) -> &Draft {
        let at = TestType::ALL.iter().position(|other| *other == test);
        &self.0[at.unwrap_or_default()]
    }
}

impl Tester {
    /// Runs the tests, and passes the progress and the report on to `keep`. If the run is cancelled or takes too long, the
    /// report has what was found so far. Afterwards, no copy of the program runs.
    pub async fn run(self, keep: Arc<KeepTests>, cancel: &CancellationToken) -> TestReport {
        let started_at = ccd_base::clock::now();
        let drafts =
            TestType::ALL.map(|test| Draft::new(test, self.wants(test).then(|| Arc::clone(&keep))));
        let drafts = Drafts(drafts);
        let keep_often = async {
            loop {
                tokio::time::sleep(KEEP_PERIOD).await;
                keep.keep(self.report(&drafts, &started_at, None));
            }
        };
        let why = tokio::select! {
            biased;
            () = cancel.cancelled() => "the run was cancelled".to_owned(),
            () = self.tests(&drafts) => String::new(),
            () = tokio::time::sleep(self.options.timeout) => {
                let seconds = self.options.timeout.as_secs_f64();
                format!("the time limit of {seconds} s was reached")
            }
            () = keep_often => String::new(), // it never ends
        };
        self.driver.end_all().await;
        self.report(&drafts, &started_at, Some(&why))
    }

    /// Returns the report so far; `why` is why tests are not finished, once the run is over.
    fn report(&self, drafts: &Drafts, started_at: &str, why: Option<&str>) -> TestReport {
        let program = &self.driver.target.program;
        let wanted = drafts.0.iter().filter(|draft| self.wants(draft.test()));
        let results: Vec<_> = wanted
            .filter_map(|draft| draft.result(program, why))
            .collect();
        TestReport {
            id: self.options.report.clone(),
            program: program.clone(),
            args: self.driver.target.args.clone(),
            started_at: started_at.to_owned(),
            completed_at: ccd_base::clock::now(),
            seed: Some(self.options.seed),
            summary: TestSummary::of(&results),
            results,
        }
    }

    fn wants(&self, test: TestType) -> bool {
        self.options.types.contains(&test)
    }

    async fn tests(&self, drafts: &Drafts) {
        if let Err(error) = self.all(drafts).await {
            for draft in drafts.0.iter().filter(|draft| self.wants(draft.test())) {
                draft.give_up(format!("it could not be started: {error}"));
            }
        }
    }

    /// The start and the help come first, because the other tests depend on them. Then at most three run at a time.
    async fn all(&self, drafts: &Drafts) -> SessionResult<()> {
        let began = Instant::now();
        let start = drafts.get(TestType::Startup);
        let tested = TestedProgram {
            driver: &self.driver,
            options: &self.options,
            first: startup::run(&self.driver, &self.options, start).await?,
            copies: AtomicU64::default(),
            ends_at: began + self.options.timeout,
            commands: OnceLock::new(),
        };
        let with_help = async {
            let found = self.help(&tested, drafts.get(TestType::Help)).await;
            tested.commands.get_or_init(|| found.commands.clone());
            let test = |test| self.test(&tested, drafts.get(test), &found);
            let measure = async {
                test(TestType::Resource).await;
                test(TestType::Concurrent).await;
            };
            tokio::join!(measure, test(TestType::Fuzz));
        };
        let without_help = async {
            let found = ProgramHelp::default();
            for test in [TestType::Exit, TestType::InvalidInput] {
                self.test(&tested, drafts.get(test), &found).await;
            }
        };
        tokio::join!(with_help, without_help);
        Ok(())
    }

    async fn help(&self, tested: &TestedProgram<'_>, draft: &Draft) -> ProgramHelp {
        const NEED_HELP: [TestType; 3] = [TestType::Fuzz, TestType::Resource, TestType::Concurrent];
        let is_needed = tested.can_be_asked() && NEED_HELP.iter().any(|test| self.wants(*test));
        if !is_needed && !self.wants(TestType::Help) {
            return ProgramHelp::default();
        }
        help::run(tested, draft).await.unwrap_or_else(|error| {
            draft.fail(error.to_string());
            ProgramHelp::default()
        })
    }

    /// Runs a test if it is wanted. An error of the session layer fails this test alone.
    async fn test(&self, tested: &TestedProgram<'_>, draft: &Draft, help: &ProgramHelp) {
        if !self.wants(draft.test()) {
            return;
        }
        let done = match draft.test() {
            TestType::Startup | TestType::Help => Ok(()), // they have come first
            TestType::InvalidInput => invalid_input::run(tested, draft).await,
            TestType::Exit => exit::run(tested, draft).await,
            TestType::Resource => resource::run(tested, draft, help).await,
            TestType::Concurrent => concurrent::run(tested, draft, help).await,
            TestType::Fuzz => fuzz::run(tested, draft, help).await,
        };
        if let Err(error) = done {
            draft.give_up(format!("it could not be tested: {error}"));
        }
    }
}
