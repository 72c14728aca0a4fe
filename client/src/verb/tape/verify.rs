//! `ccctl tape verify`: compares the real program with a tape.

use crate::args::Given;
use crate::fields::Fields as _;
use crate::verb::chain::{Cancel, until_end};
use crate::verb::file::read_text;
use crate::{Context, Exit, Failure, caller};
use ccd_protocol::Timeout;
use serde_json::{Value, json};

/// "No limit" on the command line; `^C` then ends a program that never answers.
const FOREVER_MS: u64 = 30 * 24 * 3_600 * 1_000;

/// Compares the answers of the program with the tape, and shows each exchange that differs.
pub(super) fn verify(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let mut params = json!(caller::inherited(args.has("clean_env"))?);
    params["root"] = args.at("root").clone();
    params["tape"] = args.at("tape").clone();
    params["cwd"] = caller::given_path(args.word("cwd"))?.into();
    params["timeout_ms"] = match args.timeout("timeout") {
        Timeout::Default => Value::Null,
        Timeout::Forever => FOREVER_MS.into(),
        Timeout::After(ms) => (ms.ceil() as u64).into(),
    };
    // One per line. They are not on the command line, which other users can read.
    let secrets = args.path("secrets_from").map(read_text).transpose()?;
    params["secrets"] = secrets.unwrap_or_default().lines().collect();
    let cancel = Cancel::listen()?;
    let started = context.fetch("tape.verify", &params)?.value;
    let job = started.text("job").to_owned();
    let entry = |_: &Value, _: &mut Context| Ok(());
    until_end(&cancel, job, context, entry, |mut verdict, context| {
        let drifts = verdict.list("drifts").iter();
        let different = drifts.filter(|drift| drift.text("what") != "hidden");
        verdict["different"] = different.count().into();
        context.print_page("tape.verify", &verdict, None)
    })
}
