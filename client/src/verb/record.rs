//! `ccctl rec`, `play` and `proxy`: a program with tapes, in this terminal or over pipes.

use crate::args::Given;
use crate::attach::{self, Way};
use crate::call::{DaemonAddress, close};
use ccd_base::shell;

use crate::run::{self, Start};
use crate::tape::{LastMiss, Summary, TapeCommand, miss_of, of_verb, print_blocks, print_summary};
use crate::terminal::can_draw;
use crate::{Context, Exit, Failure};
use ccd_protocol::session::{EndReason, Ended, Session, SessionCreateParams};
use std::io::{self, IsTerminal as _};

/// Runs or replays a program until it exits, and returns its status.
pub(crate) fn run(
    command: TapeCommand,
    args: &Given,
    context: &mut Context,
) -> Result<Exit, Failure> {
    let mut params = params(command, args)?;
    // The JSON document at the end contains exactly what the program wrote.
    params.pipes |= context.global.json;
    let done = if can_draw() && !context.global.json {
        at_terminal(command, params, args, context)
    } else {
        let start = Start {
            params,
            follows_size: args.size().is_none(),
            contains: Vec::new(),
            verb: command.name(),
        };
        run::start(start, context)
    };
    match done {
        Err(failure) if !context.global.json && miss_of(&failure).is_some() => {
            print_blocks(miss_of(&failure));
            Ok(Exit::Failed)
        }
        done => run::or_failed_start(done, command.name(), context),
    }
}

/// The session to create, which ends with its connection. The program gets a terminal only if input and output both are
/// terminals; otherwise it would believe that a person reads its output.
fn params(command: TapeCommand, args: &Given) -> Result<SessionCreateParams, Failure> {
    let (program, words) = args.program();
    Ok(SessionCreateParams {
        program,
        args: words,
        tape: Some(of_verb(command, args)?),
        pipes: !(io::stdin().is_terminal() && io::stdout().is_terminal()),
        ..run::for_one_run(args.timeout("timeout"), args.size(), args)?
    })
}

/// Attaches the terminal to the program until it exits or the user detaches.
fn at_terminal(
    command: TapeCommand,
    params: SessionCreateParams,
    args: &Given,
    context: &mut Context,
) -> Result<Exit, Failure> {
    let place = context.place()?;
    // The program lives as long as this connection or, after a handover, the one that is attached.
    let (_owner, session) = run::create(&place, &params)?;
    context.warn(&session.warnings);
    let place = place.without_start();
    let title = shell::line(&args.words("program"));
    let way = attach::attach_own(&session, &title, &args.detach_keys(), &place, context)?;
    let mut refusal = None;
    let exit = match way {
        Way::Ended(ended) => exit_of(&ended, context),
        Way::Left(signal) => leave(&session, signal, &place, context),
        Way::Refused(error) => {
            let _ = close(&place, &session.session_id);
            refusal = Some(error);
            Exit::Failed
        }
    };
    let summary = Summary::of(params.tape.as_ref());
    let (exit, _) = print_summary(
        LastMiss::KnownBesides,
        summary,
        &place,
        &session.session_id,
        exit,
        context,
    );
    if let Some(error) = refusal {
        let method = command.name().to_owned();
        let failure = Failure::Refused { method, error };
        match miss_of(&failure) {
            Some(miss) => print_blocks([miss]),
            None => context.report(&failure),
        }
    }
    Ok(exit)
}

fn exit_of(ended: &Ended, context: &Context) -> Exit {
    if ended.end_reason == Some(EndReason::Runtime) {
        context.note("timed out; the program was ended");
        return Exit::TimedOut;
    }
    Exit::of_program(ended.exitstatus, ended.signal)
}

/// Ends a program after its user has detached: nobody else can attach to it.
fn leave(session: &Session, signal: Option<i32>, place: &DaemonAddress, context: &Context) -> Exit {
    let ends = signal.is_some_and(|signal| run::ends_by(place, &session.session_id, signal));
    let closed = close(place, &session.session_id);
    if signal.is_some() && !ends {
        return Exit::of_program(None, signal);
    }
    if signal.is_none() {
        context.note(&format!("detached; {} was ended", session.program));
    }
    match closed {
        Ok(closed) => Exit::of_end(&closed),
        Err(failure) => failure.exit(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::parsed;
    use crate::caller;
    use serde_json::json;

    fn params_of(line: &str) -> Result<SessionCreateParams, Failure> {
        let args = parsed(line).unwrap().with_paths(caller::located)?;
        let command = match &*args.command {
            "rec" => TapeCommand::Rec,
            _ => TapeCommand::Play,
        };
        params(command, &args)
    }

    fn asked(line: &str) -> serde_json::Value {
        serde_json::to_value(params_of(line).unwrap()).unwrap()
    }

    #[test]
    fn each_command_has_its_modes_unless_they_are_given() {
        for (line, record, fallback) in [
            ("rec bc", "new", "not_found"),
            ("play bc", "disabled", "not_found"),
            ("proxy bc", "disabled", "proxy"),
            ("proxy --record new bc", "new", "proxy"),
            (
                "rec --record overwrite --fallback proxy bc",
                "overwrite",
                "proxy",
            ),
        ] {
            let tape = &asked(line)["tape"];
            let modes = [&tape["record"], &tape["fallback"]];
            assert_eq!(modes, [record, fallback], "{line}");
        }
    }

    #[test]
    fn an_option_without_effect_is_a_usage_error() {
        for (line, is_refused) in [
            ("rec --strict bc", true),
            ("rec --record overwrite --latency 0 bc", true),
            ("rec --ignore-stdin bc", true),
            ("proxy --record overwrite --seed 1 bc", true),
            ("play --tag t bc", true),
            ("play --name {program} bc", true),
            ("proxy --tag t bc", true),
            ("rec --record disabled --latency 0 bc", false),
            ("rec --latency 5-50 --error-rate 2 --seed 7 bc", false),
            ("rec --fallback proxy --latency 0 bc", false),
            ("play --record new --tag t bc", false),
            ("play --no-redact --ignore-stdin bc", false),
            ("proxy --record new --tag t --latency 0 bc", false),
        ] {
            let done = params_of(line);
            assert_eq!(matches!(done, Err(Failure::Usage(_))), is_refused, "{line}");
            assert_eq!(done.is_ok(), !is_refused, "{line}");
        }
    }

    #[test]
    fn the_program_ends_with_its_user_and_by_no_other_limit() {
        let asked = asked("rec --tapes t --name {program}/{verb} bc -q --tapes");
        assert_eq!(asked["transient"], true);
        assert_eq!(asked["args"], json!(["-q", "--tapes"]));
        for limit in ["session_timeout_s", "max_session_runtime_s"] {
            assert_eq!(asked[limit], 0.0, "{limit}");
        }
        let root = asked["tape"]["root"].as_str().unwrap();
        assert!(root.starts_with('/') && root.ends_with("/t"), "{root}");
        assert_eq!(asked["tape"]["name"], "{program}/{verb}");
    }
}
