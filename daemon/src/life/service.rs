//! Notifications to the service manager.

use sd_notify::NotifyState;
use std::time::Duration;

fn notify(states: &[NotifyState<'_>]) {
    // Without a service manager, this fails.
    let _ = sd_notify::notify(states);
}

/// The socket answers.
pub(crate) fn ready() {
    notify(&[NotifyState::Ready, NotifyState::Status("serving")]);
}

pub(crate) fn reloading() {
    notify(&[
        NotifyState::Reloading,
        NotifyState::monotonic_usec_now().unwrap_or(NotifyState::Status("reloading")),
    ]);
}

pub(crate) fn stopping() {
    notify(&[
        NotifyState::Stopping,
        NotifyState::Status("ending sessions"),
    ]);
}

/// Returns how often the watchdog must be notified, if there is one.
pub(crate) fn watchdog_period() -> Option<Duration> {
    sd_notify::watchdog_enabled().map(|limit| limit / 3)
}

pub(crate) fn alive() {
    notify(&[NotifyState::Watchdog]);
}
