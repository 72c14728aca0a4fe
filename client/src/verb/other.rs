//! `ccctl call` and `ccctl version`.

use crate::args::Given;
use crate::call::request_at;
use crate::fields::Fields as _;
use crate::render::filled;
use crate::{Context, Exit, Failure};
use ccd_protocol::PROTOCOL_VERSION;
use serde_json::json;
use serde_json::value::RawValue;

const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(crate) fn call(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let params: Box<RawValue> = serde_json::from_str(args.text("params"))
        .map_err(|error| Failure::Usage(format!("the parameters are not JSON: {error}")))?;
    let result = request_at(&context.place()?, args.text("method"), &params)?;
    context.print_json();
    context.write_line(result.get())?;
    Ok(Exit::Done)
}

/// Prints the version of this program, and of the daemon if one is running; never starts one.
pub(crate) fn version(context: &mut Context) -> Result<Exit, Failure> {
    if !context.global.json {
        context.write_line(&format!("ccctl {VERSION}, protocol {PROTOCOL_VERSION}"))?;
    }
    let daemon = context.status_if_running()?;
    if context.global.json {
        let client = json!({"version": VERSION, "protocol": PROTOCOL_VERSION});
        let daemon = daemon.map(|daemon| {
            json!({"version": daemon["version"], "protocol": daemon["protocol"], "pid": daemon["pid"]})
        });
        context.write_json(&json!({"ccctl": client, "ccd": daemon}))?;
    } else if let Some(daemon) = daemon {
        let line = "ccd {version}, protocol {protocol}, pid {pid}";
        context.write_line(&filled(line, &daemon))?;
    }
    Ok(Exit::Done)
}
