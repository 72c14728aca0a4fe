//! What the service manager is told.

use sd_notify::NotifyState;
use std::time::Duration;

fn notify(states: &[NotifyState<'_>]) {
    // Without a service manager there is nobody to tell.
    let _ = sd_notify::notify(states);
}

/// The socket answers.
pub(crate) fn ready() {
    notify(&[NotifyState::Ready, NotifyState::Status("serving")]);
}

/// The configuration is being read again.
pub(crate) fn reloading() {
    notify(&[
        NotifyState::Reloading,
        NotifyState::monotonic_usec_now().unwrap_or(NotifyState::Status("reloading")),
    ]);
}

/// The daemon ends.
pub(crate) fn stopping() {
    notify(&[
        NotifyState::Stopping,
        NotifyState::Status("ending sessions"),
    ]);
}

/// How often the watchdog wants to hear from us, if there is one.
pub(crate) fn watchdog_period() -> Option<Duration> {
    sd_notify::watchdog_enabled().map(|limit| limit / 3)
}

/// All is well.
pub(crate) fn alive() {
    notify(&[NotifyState::Watchdog]);
}
