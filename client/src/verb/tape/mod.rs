//! `ccctl tape`.

mod cast;
mod convert;
mod play;
mod verify;

use crate::args::{RootArgs, TapeListArgs, TapePruneArgs, TapeVerb};
use crate::call::is_elsewhere;
use crate::fields::Fields as _;
use crate::render::{filled, text};
use crate::tape::shim;
use crate::{Context, Exit, Failure, caller};
use ccd_protocol::Method as _;
use ccd_protocol::tape::{
    TapeDiff, TapeDiffParams, TapeGet, TapeList, TapeListParams, TapeParams, TapePrune,
    TapePruneParams, TapeRedact, TapeRedactParams, TapeValidate, TapeValidateParams,
};
use serde_json::Value;
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
            context.show::<TapeGet>(&params)
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
            let answer = context.fetch::<TapeDiff>(&params)?;
            context.print_as(TapeDiff::NAME, &answer)?;
            Ok(Exit::of_success(answer.value.has("equal")))
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

fn print_problems(reply: &Value, context: &Context) {
    let problems = reply.list("problems").iter();
    problems.for_each(|problem| context.remark(&text("tape problem", problem)));
}

fn list(args: &TapeListArgs, context: &mut Context) -> Result<Exit, Failure> {
    let mut params = TapeListParams {
        root: root(&args.root)?,
        used: (args.used || args.unused).then_some(args.used),
        program: args.program.clone(),
        limit: Some(PAGE_LEN),
        after: None,
    };
    let answer = context.fetch::<TapeList>(&params)?;
    let mut all = answer.value.clone();
    let mut page_len = all.list("tapes").len();
    while page_len as u64 >= PAGE_LEN {
        params.after = all
            .list("tapes")
            .last()
            .map(|tape| tape.text("tape_id").to_owned());
        let page = context.fetch::<TapeList>(&params)?.value;
        page_len = page.list("tapes").len();
        if let Some(tapes) = all["tapes"].as_array_mut() {
            tapes.extend_from_slice(page.list("tapes"));
        }
    }
    print_problems(&all, context);
    if context.global.json {
        match params.after {
            None => context.write_line(answer.json.get())?,
            Some(_) => context.write_json(&all)?,
        }
        return Ok(Exit::Done);
    }
    let tapes = all.list("tapes");
    if tapes.is_empty() {
        context.note(&why_none(args, all.text("root"), context)?);
    }
    context.render(|out| out.reply(TapeList::NAME, &all))?;
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
        context.fetch::<TapeList>(&params)?.value.number("total")
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
    let answer = context.fetch::<TapeValidate>(params)?;
    context.print_as(TapeValidate::NAME, &answer)?;
    Ok(Exit::of_success(answer.value.has("valid")))
}

fn redact(params: &TapeRedactParams, context: &mut Context) -> Result<Exit, Failure> {
    let answer = context.fetch::<TapeRedact>(params)?;
    let reply = &answer.value;
    print_problems(reply, context);
    let page = if reply.has("is_done") {
        TapeRedact::NAME
    } else {
        "tape.redact without doing it"
    };
    context.print_as(page, &answer)?;
    if !reply.has("is_done") && reply.has("tapes") {
        context.remark("nothing was changed; --inplace removes the secrets");
    }
    Ok(Exit::of_success(!reply.has("problems")))
}

fn prune(args: &TapePruneArgs, context: &mut Context) -> Result<Exit, Failure> {
    let params = TapePruneParams {
        root: root(&args.root)?,
        unused: args.unused,
        dry_run: args.dry_run,
        older_than_s: args.older_than,
    };
    let answer = context.fetch::<TapePrune>(&params)?;
    let reply = &answer.value;
    print_problems(reply, context);
    context.print_as(TapePrune::NAME, &answer)?;
    let done = match (reply.has("is_done"), args.unused) {
        (true, _) => "deleted",
        (false, true) => "would be deleted",
        (false, false) => "never played; --unused deletes them",
    };
    let counts = filled("{tapes:count tape}, {bytes} bytes", reply);
    context.remark(&format!("{counts}, {done}"));
    Ok(Exit::of_success(!reply.has("problems")))
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
