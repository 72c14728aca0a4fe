//! Telemetry: what is logged at the level `info` if `debug` is on, and otherwise at `debug`.

/// Logs an event of the target `tape`; the first argument says whether `debug` is on.
macro_rules! telemetry {
    ($is_on:expr, $($event:tt)+) => {
        if $is_on {
            tracing::info!(target: "tape", $($event)+)
        } else {
            tracing::debug!(target: "tape", $($event)+)
        }
    };
}

pub(crate) use telemetry;
