//! `ccctl investigate`, `probe`, `learn` and `map`.

mod follow;
mod learn;
mod map;
mod run;

use crate::args::{
    InvestigateArgs, InvestigateRunArgs, InvestigateVerb, ProbeArgs, ReportCleanupArgs,
    ReportListArgs, ReportNameArgs, TargetArgs, params, subcommand_like,
};
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, caller, render};
use ccd_protocol::investigate::{
    InvestigateCleanup, InvestigateDelete, InvestigateDiff, InvestigateDiffParams, InvestigateGet,
    InvestigateList, InvestigateProbe, InvestigateProbeParams, ReportCleanupParams,
    ReportListParams, ReportParams,
};
use ccd_protocol::{ErrorCode, Inherited, Method};
use clap::Subcommand;
use std::collections::BTreeMap;

pub(in crate::verb) use follow::{failed, follow_with_line, result_of};
pub(crate) use learn::learn;
pub(crate) use map::map;

pub(crate) fn dispatch(args: &InvestigateArgs, context: &mut Context) -> Result<Exit, Failure> {
    match &args.verb {
        None => run::run(&args.run, context),
        Some(_) if args.run != InvestigateRunArgs::default() => {
            Err(misplaced("investigate", "a program"))
        }
        Some(verb) => subcommand(verb, context),
    }
}

/// Options before a subcommand, which nothing would use.
pub(in crate::verb) fn misplaced(verb: &str, what: &str) -> Failure {
    Failure::Usage(format!(
        "{verb}: a subcommand takes its options after its name; put -- before it if it is {what}"
    ))
}

/// Adds the subcommand that was probably meant to the error that `program` does not exist.
pub(in crate::verb) fn advised<V: Subcommand>(
    mut failure: Failure,
    verb: &str,
    program: &str,
) -> Failure {
    if let Failure::Refused { error, .. } = &mut failure
        && error.known() == Some(ErrorCode::TargetNotFound)
        && let Some(name) = subcommand_like::<V>(program)
    {
        let advice = format!("; did you mean ccctl {verb} {name}?");
        error.message.push_str(&advice);
    }
    failure
}

fn subcommand(verb: &InvestigateVerb, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        InvestigateVerb::Run(args) => run::run(args, context),
        InvestigateVerb::Probe(args) => probe(args, context),
        InvestigateVerb::Learn(args) => learn(args, context),
        InvestigateVerb::Map(args) => map(args, context),
        InvestigateVerb::List(args) => list(args, context),
        InvestigateVerb::Get(args) => {
            let answer = context.fetch::<InvestigateGet>(&named(&args.report))?;
            context.print(&answer, |report, out| {
                render::investigation(report, None, out)
            })
        }
        InvestigateVerb::Diff { a, b } => {
            let params = InvestigateDiffParams {
                a: a.clone(),
                b: b.clone(),
            };
            let answer = context.fetch::<InvestigateDiff>(&params)?;
            context.print(&answer, render::investigation_diff)?;
            Ok(Exit::of_success(answer.value.has("equal")))
        }
        InvestigateVerb::Delete(args) => delete::<InvestigateDelete>(args, context),
        InvestigateVerb::Cleanup(args) => cleanup::<InvestigateCleanup>(args, context),
    }
}

pub(in crate::verb) fn named(report: &str) -> ReportParams {
    ReportParams {
        report: report.to_owned(),
    }
}

pub(in crate::verb) fn listed(args: &ReportListArgs) -> ReportListParams {
    params!(ReportListParams { program, limit } of args)
}

pub(in crate::verb) fn delete<M: Method<Params = ReportParams>>(
    args: &ReportNameArgs,
    context: &mut Context,
) -> Result<Exit, Failure> {
    context.show::<M>(&named(&args.report))
}

pub(in crate::verb) fn cleanup<M: Method<Params = ReportCleanupParams>>(
    args: &ReportCleanupArgs,
    context: &mut Context,
) -> Result<Exit, Failure> {
    let params = ReportCleanupParams {
        older_than_s: args.older_than,
    };
    context.show::<M>(&params)
}

fn list(args: &ReportListArgs, context: &mut Context) -> Result<Exit, Failure> {
    context.show::<InvestigateList>(&listed(args))
}

/// Starts a program for a moment and prints how it behaves.
pub(crate) fn probe(args: &ProbeArgs, context: &mut Context) -> Result<Exit, Failure> {
    let Target {
        program,
        args,
        cwd,
        env,
        inherited,
    } = Target::of(&args.target)?;
    let params = InvestigateProbeParams {
        program,
        args,
        cwd,
        env,
        inherited,
    };
    context.show::<InvestigateProbe>(&params)
}

pub(in crate::verb) struct Target {
    pub(in crate::verb) program: String,
    pub(in crate::verb) args: Vec<String>,
    pub(in crate::verb) cwd: Option<String>,
    pub(in crate::verb) env: BTreeMap<String, String>,
    pub(in crate::verb) inherited: Inherited,
}

impl Target {
    pub(in crate::verb) fn of(args: &TargetArgs) -> Result<Self, Failure> {
        let mut words = args.program.iter().cloned();
        Ok(Self {
            program: words.next().unwrap_or_default(),
            args: words.collect(),
            cwd: caller::working_directory(args.caller.cwd.as_deref())?,
            env: args.caller.variables(),
            inherited: caller::inherited(args.caller.clean_env)?,
        })
    }
}
