//! The order of the tests, time limits and the report.

use super::draft::{Draft, KeepTests};
use super::help::ProgramHelp;
use super::options::Options;
use super::tested_program::TestedProgram;
use super::{concurrent, exit, fuzz, help, invalid_input, resource, startup};
use crate::drive::Driver;
use ccd_protocol::black_box::{TestReport, TestSummary, TestType};
use ccd_session::session::SessionError;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// How long the copies may take to end after the last test.
const END_LIMIT: Duration = Duration::from_secs(6);

/// How often the report so far is passed on.
const KEEP_PERIOD: Duration = Duration::from_millis(500);

/// A run of tests that has not begun.
pub struct Tester {
    pub driver: Driver,
    pub options: Options,
}

/// The results of all types, also of those that are not wanted but whose findings others need.
struct Drafts(Vec<Draft>);

impl Drafts {
    fn of(&self, test: TestType) -> Result<&Draft, SessionError> {
        let mut drafts = self.0.iter();
        let found = drafts.find(|draft| draft.test() == test);
        found.ok_or_else(|| SessionError::InvalidArgument(format!("no test {}", test.name())))
    }
}

impl Tester {
    /// Runs the tests, and passes the progress and the report on to `keep`. If the run is cancelled or takes too long, the
    /// report has what was found so far. Afterwards, no copy of the program runs.
    pub async fn run(self, keep: Arc<KeepTests>, cancel: &CancellationToken) -> TestReport {
        let started_at = ccd_text::clock::now();
        let drafts =
            TestType::ALL.map(|test| Draft::new(test, self.wants(test).then(|| Arc::clone(&keep))));
        let drafts = Drafts(drafts.into());
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
        if tokio::time::timeout(END_LIMIT, self.driver.end_all())
            .await
            .is_err()
        {
            tracing::warn!("copies of a program took long to end");
        }
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
            completed_at: ccd_text::clock::now(),
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
                draft.begin(1);
                draft.fail(format!("it could not be started: {error}"));
                draft.finish();
            }
        }
    }

    /// The start and the help come first, because the other tests depend on them. Then at most three run at a time.
    async fn all(&self, drafts: &Drafts) -> Result<(), SessionError> {
        let began = Instant::now();
        let start = drafts.of(TestType::Startup)?;
        let first = startup::run(&self.driver, &self.options, start).await?;
        let tested = TestedProgram {
            driver: &self.driver,
            options: &self.options,
            first,
            copies: AtomicU64::default(),
            ends_at: began + self.options.timeout,
            commands: OnceLock::new(),
        };
        let of_help = drafts.of(TestType::Help)?;
        let [fuzz, resource, concurrent, exit, invalid] = [
            TestType::Fuzz,
            TestType::Resource,
            TestType::Concurrent,
            TestType::Exit,
            TestType::InvalidInput,
        ]
        .map(|test| drafts.of(test));
        let (fuzz, resource, concurrent) = (fuzz?, resource?, concurrent?);
        let (exit, invalid) = (exit?, invalid?);
        let with_help = async {
            let found = self.help(&tested, of_help).await;
            tested.commands.get_or_init(|| found.commands.clone());
            let measure = async {
                self.note(resource, resource::run(&tested, resource, &found))
                    .await;
                self.note(concurrent, concurrent::run(&tested, concurrent, &found))
                    .await;
            };
            tokio::join!(measure, self.note(fuzz, fuzz::run(&tested, fuzz, &found)));
        };
        let without_help = async {
            self.note(exit, exit::run(&tested, exit)).await;
            self.note(invalid, invalid_input::run(&tested, invalid))
                .await;
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
        match help::run(tested, draft).await {
            Ok(found) => found,
            Err(error) => {
                draft.fail(error.to_string());
                ProgramHelp::default()
            }
        }
    }

    /// Runs a test that is wanted. An error of the session layer fails this test alone.
    async fn note(&self, draft: &Draft, test: impl Future<Output = Result<(), SessionError>>) {
        if self.wants(draft.test())
            && let Err(error) = test.await
        {
            draft.begin(1);
            draft.fail(format!("it could not be tested: {error}"));
            draft.finish();
        }
    }
}
