//! `ccctl test` and `ccctl test fuzz`.

use super::investigate::{
    ReportCleanupArgs, ReportListArgs, ReportNameArgs, TargetArgs, for_copies,
};
use super::offer::NameKind;
use super::value::{count, named, seconds, word};
use ccd_protocol::black_box::TestType;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Arguments of `test`: a program and how to test it, or a subcommand.
#[derive(Debug, Args)]
#[command(
    subcommand_negates_reqs = true,
    override_usage = "ccctl test [OPTIONS] <PROGRAM> [ARGS]...\n       ccctl test <COMMAND>"
)]
pub(crate) struct BlackBoxArgs {
    #[command(subcommand)]
    pub(crate) verb: Option<BlackBoxVerb>,
    #[command(flatten)]
    pub(crate) run: BlackBoxRunArgs,
}

/// What to test of a program.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub(crate) struct BlackBoxRunArgs {
    /// Run only these tests, separated by commas: startup, help, invalid_input, exit, resource, concurrent, fuzz
    #[arg(long, value_name = "TYPES", value_delimiter = ',', ignore_case = true, hide_possible_values = true, value_parser = word(TestType::ALL.map(TestType::name), named::<TestType>))]
    pub(crate) types: Vec<TestType>,
    #[command(flatten)]
    pub(crate) fuzz: FuzzRunArgs,
}

/// What `test` and `fuzz` have in common.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(mut_args(for_copies))]
pub(crate) struct FuzzRunArgs {
    /// Seed for the random inputs; the same seed sends the same inputs if the program's commands are the same [default: random, stored in the report]
    #[arg(long, value_name = "N", value_parser = count)]
    pub(crate) seed: Option<u64>,
    /// Send N random inputs [default: configuration key testing.fuzz_inputs, 1000]
    #[arg(long, value_name = "N", value_parser = count)]
    pub(crate) inputs: Option<u64>,
    /// End the tests after this time [default: configuration key testing.timeout, 120]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<f64>,
    /// Fail only on findings that are not in this report: id, unique prefix of it, or file
    #[arg(long, value_name = "REPORT")]
    #[arg(add = NameKind::TestReports)]
    pub(crate) baseline: Option<String>,
    /// Also write the report as JUnit XML to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Also write the report as HTML to this file, with the screen of each finding
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// Commands for tests and their reports.
#[derive(Debug, Subcommand)]
pub(crate) enum BlackBoxVerb {
    /// Test a program (same as ccctl test PROGRAM)
    Run(Box<BlackBoxRunArgs>),
    /// Look for inputs that break a program (same as ccctl test --types fuzz)
    Fuzz(Box<FuzzRunArgs>),
    /// List reports, newest first
    #[command(visible_alias = "ls")]
    List(ReportListArgs),
    /// Show a report, or write it as JUnit XML or HTML
    #[command(name = "show", visible_alias = "get")]
    Get(BlackBoxGetArgs),
    /// Delete a report
    #[command(visible_alias = "rm", mut_arg("report", |report| report.add(NameKind::TestReports)))]
    Delete(ReportNameArgs),
    /// Delete old reports
    #[command(visible_alias = "clean")]
    Cleanup(ReportCleanupArgs),
}

/// Arguments of `test show`.
#[derive(Debug, Args)]
pub(crate) struct BlackBoxGetArgs {
    /// Report: its id, a unique prefix of it, or the name of its file; or a program, for its newest report
    #[arg(add = NameKind::TestReports)]
    pub(crate) report: String,
    /// Write the report as JUnit XML to this file; - for standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Write the report as HTML to this file; - for standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Noun, parsed};

    #[test]
    fn types_are_a_list_and_a_program_keeps_its_words() {
        let Ok(Noun::Test(args)) = parsed("test --types fuzz,Invalid-Input bc --types x") else {
            panic!("another noun");
        };
        assert_eq!(args.run.types, [TestType::Fuzz, TestType::InvalidInput]);
        assert_eq!(args.run.fuzz.target.program, ["bc", "--types", "x"]);
        assert!(parsed("test --types fuz bc").is_err() && parsed("test").is_err());
    }
}
