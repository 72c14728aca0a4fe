//! Waits until a point in time, within a fraction of a millisecond: the runtime's own timer rounds up to a whole one.

use std::time::Instant;

#[cfg(target_os = "linux")]
mod timer {
    use crate::readiness;
    use rustix::time::{
        Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
        timerfd_settime,
    };
    use std::io;
    use std::os::fd::OwnedFd;
    use std::sync::Arc;
    use std::time::Duration;
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;

    pub(super) type Timer = AsyncFd<Arc<OwnedFd>>;

    pub(super) fn create() -> io::Result<Timer> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        readiness::watch(Arc::new(timer), Interest::READABLE)
    }

    /// Waits for `time`. The wait may be cancelled, and the timer used again.
    pub(super) async fn wait(timer: &Timer, time: Duration) -> io::Result<()> {
        // 0 would disarm the timer.
        let time = Timespec::try_from(time.max(Duration::from_nanos(1)));
        let once = Itimerspec {
            it_interval: Timespec::default(),
            it_value: time.map_err(io::Error::other)?,
        };
        timerfd_settime(timer.get_ref(), TimerfdTimerFlags::empty(), &once)?;
        loop {
            let mut ready = timer.readable().await?;
            match rustix::io::read(timer.get_ref(), &mut [0; 8]) {
                Err(rustix::io::Errno::AGAIN) => ready.clear_ready(),
                result => return result.map(drop).map_err(io::Error::from),
            }
        }
    }
}

/// An alarm that can be used repeatedly.
#[derive(Debug, Default)]
pub struct Alarm {
    #[cfg(target_os = "linux")]
    timer: Option<timer::Timer>,
}

impl Alarm {
    /// Returns at `end`, or at once if that has passed.
    pub async fn wait_until(&mut self, end: Instant) {
        #[cfg(target_os = "linux")]
        {
            let time = end.saturating_duration_since(Instant::now());
            if time.is_zero() {
                return;
            }
            if self.timer.is_none() {
                // If no descriptor is available, the runtime's timer is exact enough.
                self.timer = timer::create().ok();
            }
            if let Some(timer) = &self.timer
                && timer::wait(timer, time).await.is_ok()
            {
                return;
            }
        }
        if end > Instant::now() {
            tokio::time::sleep_until(end.into()).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test]
    async fn it_never_comes_too_early_also_after_it_was_given_up() {
        let mut alarm = Alarm::default();
        let end = Instant::now() + Duration::from_secs(60);
        let gave_up = tokio::time::timeout(Duration::from_millis(5), alarm.wait_until(end)).await;
        assert!(gave_up.is_err());
        for delay in [0, 1, 3_700, 10_000] {
            let end = Instant::now() + Duration::from_micros(delay);
            alarm.wait_until(end).await;
            assert!(Instant::now() >= end, "{delay}");
        }
    }
}
