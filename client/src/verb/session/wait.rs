//! `ccctl wait`.

use crate::args::Given;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure};

/// Waits for a condition and prints which one was met. Fails if the program exits before the condition is met.
pub(crate) fn wait(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let mut flags = ["exit", "prompt", "input"].into_iter();
    let condition = match flags.find(|flag| args.has(flag)) {
        Some(flag) => flag,
        None if args.is_given("since") => "output",
        None => "idle",
    };
    let mut params = args.params();
    params["for"] = condition.into();
    let timeout = args.timeout("timeout_ms");
    let mut answer = context.fetch_waiting("session.wait", &params, timeout)?;
    let exit = context.print_given("session.wait", &mut answer, &params)?;
    if answer.value.text("reason") == "exit" {
        super::print_tapes(answer.value.at("tape"), context);
    }
    Ok(exit)
}
