//! `ccctl config`.

use crate::args::ConfigVerb;
use crate::call::is_elsewhere;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, caller};
use ccd_protocol::daemon::{
    ConfigCheck, ConfigCheckParams, ConfigGet, ConfigGetParams, ConfigList,
};
use ccd_protocol::{Method as _, NoParams};

/// The file that documents every key; the daemon's defaults are tested against it.
const EXAMPLE: &str = include_str!("../../../config.example.json");

pub(crate) fn dispatch(verb: &ConfigVerb, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        ConfigVerb::List => context.show::<ConfigList>(&NoParams {}),
        ConfigVerb::Get { key } => {
            let params = ConfigGetParams { key: key.clone() };
            let answer = context.fetch::<ConfigGet>(&params)?;
            context.print(&answer, |entry, out| {
                if out.style.is_terminal {
                    return out.reply(ConfigGet::NAME, entry);
                }
                writeln!(out, "{}", plain(&entry["value"]))
            })
        }
        ConfigVerb::Check { file } => check(file.as_deref(), context),
        ConfigVerb::Path => path(context),
        ConfigVerb::Example => {
            context.write_bytes(EXAMPLE.as_bytes())?;
            Ok(Exit::Done)
        }
    }
}

fn check(file: Option<&str>, context: &mut Context) -> Result<Exit, Failure> {
    // Check the caller's file: the daemon may have been started with another one.
    let own = std::env::var("CCD_CONFIG").ok();
    let own = own.filter(|_| !is_elsewhere());
    let path = caller::given_path(file.or(own.as_deref().filter(|own| !own.is_empty())))?;
    let answer = context.fetch::<ConfigCheck>(&ConfigCheckParams { path })?;
    context.print(&answer, |reply, out| out.reply(ConfigCheck::NAME, reply))?;
    Ok(Exit::of_success(!answer.value.has("errors")))
}

fn path(context: &mut Context) -> Result<Exit, Failure> {
    let reply = context.fetch::<ConfigList>(&NoParams {})?.value;
    let path = &reply["path"];
    if context.global.json {
        context.write_line(&serde_json::json!({"path": path}).to_string())?;
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
fn plain(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
