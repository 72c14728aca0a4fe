//! `ccctl chain run` and `save`, and `ccctl parallel`.

use super::follow::run_job;
use crate::args::Given;
use crate::fields::Fields as _;
use crate::verb::file::{read_object, read_text};
use crate::{Context, Exit, Failure, caller};
use serde_json::json;

/// Runs a chain, and prints each step with its output as it ends.
pub(super) fn run(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let mut params = caller::values(args, "name shared shell")?;
    params["caller_cwd"] = caller::working_directory(None)?.into();
    params["cwd"] = caller::given_path(args.word("cwd"))?.into();
    params["chain"] = args.path("file").map(read_object).transpose()?.into();
    run_job(
        "chain.run",
        &params,
        args,
        context,
        |step, context| context.print_page("chain step", step, None).map(drop),
        |result, context| context.print_page("chain.run", &result, None),
    )
}

pub(super) fn save(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let mut chain = match args.path("file") {
        Some(file) => read_object(file)?,
        None => {
            let commands = args.list("commands").iter();
            let commands = commands.map(|command| json!({ "command": command }));
            json!({ "commands": commands.collect::<Vec<_>>() })
        }
    };
    // Options override the file.
    if args.has("shared") || args.has("shell") {
        chain["shared"] = args.at("shared").clone();
        chain["shell"] = args.at("shell").clone();
    }
    if args.is_given("cwd") {
        chain["cwd"] = caller::given_path(args.word("cwd"))?.into();
    }
    if args.is_given("timeout") {
        chain["timeout"] = args.at("timeout").clone();
    }
    let params = json!({"name": args.at("name"), "chain": chain});
    context.show("chain.save", &params)
}

pub(crate) fn parallel(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let mut params = caller::values(args, "max_concurrent shell")?;
    let commands = commands(args)?;
    let total = commands.len();
    params["commands"] = commands.into();
    let page = if args.has("output") {
        "chain command whole"
    } else {
        "chain command"
    };
    run_job(
        "chain.parallel",
        &params,
        args,
        context,
        |command, context| context.print_page(page, command, None).map(drop),
        |mut result, context| {
            result["total"] = total.into();
            context.print_page("chain.parallel", &result, None)
        },
    )
}

/// The commands of the command line, then those of the file, one per line; empty lines and comments are skipped.
fn commands(args: &Given) -> Result<Vec<String>, Failure> {
    let mut commands = args.words("commands");
    if let Some(file) = args.path("file") {
        let text = read_text(file)?;
        let lines = text.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        commands.extend(lines.map(str::to_owned));
        if commands.is_empty() {
            return Failure::usage(format!("{} contains no commands", file.display()));
        }
    }
    Ok(commands)
}
