//! Telemetry: what is logged at the level `info` if `debug` is on, and otherwise at `debug`.

/// Logs an event of the target `tape`; the first argument says whether `debug` is on.
macro_rules! telemetry {
    ($is_on:expr, $($event:tt)+) => {
        match $is_on {
            true => tracing::info!(target: "tape", $($event)+),
            false => tracing::debug!(target: "tape", $($event)+),
        }
    };
}

pub(crate) use telemetry;
