//! `ccctl config`.

use crate::args::Given;
use crate::call::is_elsewhere;
use crate::{Context, Exit, Failure, caller};
use ccd_protocol::NoParams;
use serde_json::json;

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
    let answer = context.fetch("config.check", &json!({ "path": path }))?;
    // The page has the warnings, as it has the errors.
    context.print_page("config.check", &answer.value, Some(&answer.json))
}

fn path(context: &mut Context) -> Result<Exit, Failure> {
    let reply = context.fetch("config.list", &NoParams {})?.value;
    let path = &reply["path"];
    if context.global.json {
        context.write_line(&json!({"path": path}).to_string())?;
        return Ok(Exit::Done);
    }
    let path = path.as_str().ok_or_else(|| {
        Failure::NotFound(
            "config path: there is no configuration file, so the defaults apply; \
             ccctl config example prints one"
                .to_owned(),
        )
    })?;
    context.write_line(path)?;
    Ok(Exit::Done)
}
