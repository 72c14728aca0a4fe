//! `ccctl config`.

use crate::args::ConfigVerb;
use crate::call::is_elsewhere;
use crate::render::{Column, columns};
use crate::{Context, Exit, Failure, caller};
use ccd_protocol::NoParams;
use ccd_protocol::daemon::{
    ConfigCheck, ConfigCheckParams, ConfigEntry, ConfigGet, ConfigGetParams, ConfigList,
};

/// The file that documents every key; the daemon's defaults are tested against it.
const EXAMPLE: &str = include_str!("../../../config.example.json");

const ENTRIES: &[Column<ConfigEntry>] = &columns! { |entry|
    "KEY" => &entry.key,
    "VALUE" => &entry.value,
    "FROM" => &entry.source,
    "EFFECT" => &entry.effect,
};

pub(crate) fn dispatch(verb: &ConfigVerb, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        ConfigVerb::List => {
            context.list::<ConfigList, _>(&NoParams {}, |reply| &reply.entries, ENTRIES, "no keys")
        }
        ConfigVerb::Get { key } => {
            let params = ConfigGetParams { key: key.clone() };
            context.show::<ConfigGet>(&params, |entry, out| {
                if !out.style.is_terminal {
                    return writeln!(out, "{}", plain(&entry.value));
                }
                writeln!(out, "{} = {} ({})", entry.key, entry.value, entry.source)?;
                writeln!(out, "  {}", entry.effect)?;
                writeln!(out, "  {}: {}", entry.value_type, entry.range)?;
                writeln!(out, "  default: {}", entry.default)
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
    let answer = context.call::<ConfigCheck>(&ConfigCheckParams { path })?;
    let reply = &answer.value;
    context.print(&answer, |reply, out| {
        for error in &reply.errors {
            writeln!(out, "error: {error}")?;
        }
        for warning in &reply.warnings {
            writeln!(out, "warning: {warning}")?;
        }
        if reply.errors.is_empty() {
            let path = reply
                .path
                .as_deref()
                .unwrap_or("no file; the defaults apply");
            writeln!(out, "ok: {path}")?;
        }
        Ok(())
    })?;
    Ok(Exit::of_success(reply.errors.is_empty()))
}

fn path(context: &mut Context) -> Result<Exit, Failure> {
    let reply = context.call::<ConfigList>(&NoParams {})?.value;
    if context.global.json {
        context.write_line(&serde_json::json!({"path": reply.path}).to_string())?;
        return Ok(Exit::Done);
    }
    let path = reply.path.ok_or_else(|| {
        Failure::NotFound(
            "config path: there is no configuration file, so the defaults apply; \
             ccctl config example prints one"
                .to_owned(),
        )
    })?;
    context.write_line(&path)?;
    Ok(Exit::Done)
}

/// A value as text; a string is printed without quotes, so that scripts can use it.
fn plain(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
