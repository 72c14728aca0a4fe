//! `ccctl config`.

use crate::args::Given;
use crate::call::is_elsewhere;
use crate::fields::Fields as _;
use crate::program::{NO_CCD, find_ccd};
use crate::{Context, Exit, Failure, caller};
use ccd_protocol::NoParams;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// The file that documents every key; the daemon's defaults are tested against it.
const EXAMPLE: &str = include_str!("../../../config.example.json");

pub(crate) fn dispatch(verb: &str, args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        "check" => check(args.word("file"), context),
        "path" => path(context),
        "example" => {
            context.write_bytes(EXAMPLE.as_bytes())?;
            Ok(Exit::Done)
        }
        _ => context.carry_out(args),
    }
}

fn check(file: Option<&str>, context: &mut Context) -> Result<Exit, Failure> {
    // Check the caller's file: the daemon may have been started with another one.
    let own = std::env::var("CCD_CONFIG").ok();
    let own = own.filter(|own| !is_elsewhere() && !own.is_empty());
    let path = caller::given_path(file.or(own.as_deref()))?;
    let answer = match context.fetch("config.check", &json!({ "path": path })) {
        // A mistake in the file may be why.
        Err(Failure::Connect(_)) if !is_elsewhere() && !context.global.json => {
            return check_without_daemon(path);
        }
        answer => answer?,
    };
    // The page has the warnings, as it has the errors.
    context.print_page("config.check", &answer.value, Some(&answer.json))
}

fn check_without_daemon(path: Option<String>) -> Result<Exit, Failure> {
    let program = find_ccd().ok_or_else(|| Failure::NotFound(NO_CCD.to_owned()))?;
    let file = path
        .into_iter()
        .flat_map(|path| ["--config".to_owned(), path]);
    let status = Command::new(program)
        .arg("--check-config")
        .args(file)
        .status();
    let status = status.map_err(Failure::io("ccd --check-config"))?;
    Ok(Exit::of_success(status.success()))
}

/// Prints the path of the configuration file, or where the first one would be.
fn path(context: &mut Context) -> Result<Exit, Failure> {
    let reply = context.fetch("config.list", &NoParams {})?.value;
    let (path, places) = (&reply["path"], reply.list("places"));
    if context.global.json {
        context.write_line(&json!({"path": path, "places": places}).to_string())?;
        return Ok(Exit::Done);
    }
    let first = places.first().and_then(Value::as_str);
    let none = "there is no configuration file yet, so the defaults apply; ccctl config example prints one with all keys";
    let Some(place) = path.as_str().or(first) else {
        return Err(Failure::NotFound(format!("config path: {none}")));
    };
    // One that was made a moment ago may not be in use yet.
    if path.is_null() && (is_elsewhere() || !Path::new(place).exists()) {
        context.remark(none);
    }
    context.write_line(place)?;
    Ok(Exit::Done)
}
