//! `ccctl tape`.

mod cast;
mod convert;
mod play;
mod verify;

use crate::args::{RootArgs, TapeListArgs, TapePruneArgs, TapeVerb};
use crate::call::is_elsewhere;
use crate::tape::shim;
use crate::{Context, Exit, Failure, caller, render};
use ccd_protocol::tape::{
    TapeDiff, TapeDiffParams, TapeGet, TapeList, TapeListParams, TapeListReply, TapeParams,
    TapeProblem, TapePrune, TapePruneParams, TapeRedact, TapeRedactParams, TapeValidate,
    TapeValidateParams,
};
use std::path::Path;

const PAGE_LEN: u64 = 1_000;

const EXTENSION: &str = ".json5";

pub(crate) fn dispatch(verb: &TapeVerb, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        TapeVerb::List(args) => list(args, context),
        TapeVerb::Get { of, keys } => {
            let params = TapeParams {
                root: root(&of.root)?,
                tape: named(&of.tape)?,
                keys: *keys,
            };
            context.show::<TapeGet>(&params, render::tape)
        }
        TapeVerb::Validate { of, strict } => {
            let params = TapeValidateParams {
                root: root(&of.root)?,
                tape: of.tape.as_deref().map(named).transpose()?,
                strict: *strict,
            };
            validate(&params, context)
        }
        TapeVerb::Redact { of, inplace } => {
            let params = TapeRedactParams {
                root: root(&of.root)?,
                tape: of.tape.as_deref().map(named).transpose()?,
                inplace: *inplace,
            };
            redact(&params, context)
        }
        TapeVerb::Diff { a, b, root: of } => {
            let params = TapeDiffParams {
                root: root(of)?,
                a: named(a)?,
                b: named(b)?,
            };
            let answer = context.call::<TapeDiff>(&params)?;
            context.print(&answer, |reply, out| render::diff(&reply.diff, out))?;
            Ok(Exit::of_success(answer.value.equal))
        }
        TapeVerb::Import(args) => convert::import(args, context),
        TapeVerb::Export(args) => convert::export(args, context),
        TapeVerb::Svg(args) => convert::svg(args, context),
        TapeVerb::Play(args) => play::play(args, context),
        TapeVerb::Verify(args) => verify::verify(args, context),
        TapeVerb::Prune(args) => prune(args, context),
        TapeVerb::Shim(args) => shim(args, context),
    }
}

fn root(args: &RootArgs) -> Result<Option<String>, Failure> {
    caller::given_path(args.tapes.as_deref())
}

/// Returns a tape as the daemon knows it: the absolute path of a file, or an id or a part of one.
fn named(tape: &str) -> Result<String, Failure> {
    let path = Path::new(tape);
    let is_path = ["/", "./", "../"]
        .iter()
        .any(|start| tape.starts_with(start));
    match tape.strip_suffix(EXTENSION) {
        _ if is_path => caller::absolute(path),
        Some(_) if !is_elsewhere() && path.symlink_metadata().is_ok() => caller::absolute(path),
        _ => Ok(tape.to_owned()),
    }
}

fn print_problems(problems: &[TapeProblem], context: &Context) {
    let texts = problems.iter().map(render::tape_problem);
    texts.for_each(|text| context.remark(&text));
}

fn list(args: &TapeListArgs, context: &mut Context) -> Result<Exit, Failure> {
    let mut params = TapeListParams {
        root: root(&args.root)?,
        used: (args.used || args.unused).then_some(args.used),
        program: args.program.clone(),
        limit: Some(PAGE_LEN),
        after: None,
    };
    let answer = context.call::<TapeList>(&params)?;
    let mut all: TapeListReply = answer.value.clone();
    let mut page_len = all.tapes.len();
    while page_len as u64 >= PAGE_LEN {
        params.after = all.tapes.last().map(|tape| tape.tape_id.clone());
        let page = context.call::<TapeList>(&params)?.value;
        page_len = page.tapes.len();
        all.tapes.extend(page.tapes);
    }
    print_problems(&all.problems, context);
    if context.global.json {
        match params.after {
            None => context.write_line(answer.json.get())?,
            Some(_) => context.write_json(&all)?,
        }
        return Ok(Exit::Done);
    }
    if all.tapes.is_empty() {
        context.note(&why_none(args, &all.root, context)?);
    }
    context.render(|out| out.table(&all.tapes, render::TAPES))?;
    Ok(Exit::Done)
}

fn why_none(args: &TapeListArgs, in_root: &str, context: &Context) -> Result<String, Failure> {
    let params = TapeListParams {
        root: root(&args.root)?,
        program: args.program.clone(),
        limit: Some(1),
        ..TapeListParams::default()
    };
    let is_filtered = args.used || args.unused;
    let all = if is_filtered {
        context.call::<TapeList>(&params)?.value.total
    } else {
        0
    };
    let of = match &args.program {
        Some(program) => format!(" of {program}"),
        None => String::new(),
    };
    Ok(match all {
        0 => format!("no tapes{of} in {in_root}; ccctl rec PROGRAM records one"),
        _ if args.used => format!("no tape{of} in {in_root} was ever played"),
        _ => format!("every tape{of} in {in_root} was played"),
    })
}

fn validate(params: &TapeValidateParams, context: &mut Context) -> Result<Exit, Failure> {
    let answer = context.call::<TapeValidate>(params)?;
    context.print(&answer, |reply, out| {
        for problem in &reply.problems {
            writeln!(out, "{}", render::tape_problem(problem))?;
        }
        match (reply.problems.is_empty(), reply.left_out) {
            (true, _) => writeln!(
                out,
                "{} checked, no problems",
                render::counted(reply.checked, "tape")
            ),
            (false, 0) => Ok(()),
            (false, more) => writeln!(out, "{} not shown", render::counted(more, "more problem")),
        }
    })?;
    Ok(Exit::of_success(answer.value.valid))
}

fn redact(params: &TapeRedactParams, context: &mut Context) -> Result<Exit, Failure> {
    let answer = context.call::<TapeRedact>(params)?;
    print_problems(&answer.value.problems, context);
    context.print(&answer, |reply, out| {
        let done = if reply.is_done {
            "removed"
        } else {
            "would remove"
        };
        for tape in &reply.tapes {
            let secrets = render::counted(tape.removed, "secret");
            let places = tape.places.join(", ");
            writeln!(out, "{}: {done} {secrets} from {places}", tape.tape_id)?;
        }
        if reply.tapes.is_empty() {
            writeln!(
                out,
                "{} checked, no secrets",
                render::counted(reply.checked, "tape")
            )
        } else {
            Ok(())
        }
    })?;
    if !answer.value.is_done && !answer.value.tapes.is_empty() {
        context.remark("nothing was changed; --inplace removes the secrets");
    }
    Ok(Exit::of_success(answer.value.problems.is_empty()))
}

fn prune(args: &TapePruneArgs, context: &mut Context) -> Result<Exit, Failure> {
    let params = TapePruneParams {
        root: root(&args.root)?,
        unused: args.unused,
        dry_run: args.dry_run,
        older_than_s: args.older_than,
    };
    let answer = context.call::<TapePrune>(&params)?;
    let reply = &answer.value;
    print_problems(&reply.problems, context);
    context.print(&answer, |reply, out| {
        reply
            .tapes
            .iter()
            .try_for_each(|tape| writeln!(out, "{tape}"))
    })?;
    let tapes = render::counted(reply.tapes.len() as u64, "tape");
    let done = match (reply.is_done, args.unused) {
        (true, _) => "deleted",
        (false, true) => "would be deleted",
        (false, false) => "never played; --unused deletes them",
    };
    context.remark(&format!("{tapes}, {} bytes, {done}", reply.bytes));
    Ok(Exit::of_success(reply.problems.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tape_is_named_by_its_id_or_its_file() {
        assert_eq!(named("bc/rec-1").unwrap(), "bc/rec-1");
        assert_eq!(named("1a2b").unwrap(), "1a2b");
        assert_eq!(named("bc/no-such.json5").unwrap(), "bc/no-such.json5");
        assert_eq!(named("/t/a.json5").unwrap(), "/t/a.json5");
        let relative = named("./no/a.json5").unwrap();
        assert!(
            relative.starts_with('/') && relative.ends_with("/no/a.json5"),
            "{relative}"
        );
    }
}
