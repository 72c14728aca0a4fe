//! `ccctl config`.

use crate::args::Given;
use crate::call::is_elsewhere;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, caller};
use ccd_protocol::daemon::{ConfigCheck, ConfigGet, ConfigList};
use ccd_protocol::{Method as _, NoParams};
use serde_json::{Value, json};

/// The file that documents every key; the daemon's defaults are tested against it.
const EXAMPLE: &str = include_str!("../../../config.example.json");

pub(crate) fn dispatch(verb: &str, args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        "get" => {
            let answer = context.fetch(ConfigGet::NAME, &args.params())?;
            context.print(&answer, |entry, out| {
                if out.style.is_terminal {
                    return out.reply(ConfigGet::NAME, entry);
                }
                writeln!(out, "{}", plain(&entry["value"]))
            })
        }
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
    let answer = context.fetch(ConfigCheck::NAME, &json!({ "path": path }))?;
    context.print(&answer, |reply, out| out.reply(ConfigCheck::NAME, reply))?;
    Ok(Exit::of_success(!answer.value.has("errors")))
}

fn path(context: &mut Context) -> Result<Exit, Failure> {
    let reply = context.fetch(ConfigList::NAME, &NoParams {})?.value;
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

/// A value as text; a string is printed without quotes, so that scripts can use it.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
