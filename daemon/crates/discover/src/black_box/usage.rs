//! What all processes of a copy use.

use crate::drive::Running;
use rustix::param::clock_ticks_per_second;
use std::path::Path;
use std::time::{Duration, Instant};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Usage {
    pub(super) processes: usize,
    /// Memory now, and the most that each process ever had, in bytes.
    pub(super) memory_bytes: u64,
    pub(super) peak_bytes: u64,
    /// Memory that is not that of files, and memory that was asked for, in bytes.
    pub(super) own_bytes: u64,
    pub(super) reserved_bytes: u64,
    /// Processor time since each process started.
    pub(super) processor: Duration,
    /// How long the first thread of each process has waited for a processor.
    pub(super) waited: Duration,
    pub(super) threads: u64,
    pub(super) descriptors: u64,
}

impl Usage {
    pub(super) async fn measure(running: &Running) -> Self {
        Self::measure_processes(&running.processes().await)
    }

    /// Returns whether the processes of a copy use a processor, or would if others did not.
    pub(super) async fn shows_work(running: &Running, wait: Duration, percent: f64) -> bool {
        let before = Self::measure(running).await;
        tokio::time::sleep(wait).await;
        let after = Self::measure(running).await;
        let of = |usage: &Self| usage.processor + usage.waited;
        of(&after).saturating_sub(of(&before)) >= wait.mul_f64(percent / 100.0)
    }

    /// Waits, and returns the usage after that, with the processor time meanwhile as in [`Self::percent_since`].
    pub(super) async fn during(running: &Running, wait: Duration) -> (Self, f64) {
        let before = Self::measure(running).await;
        let began = Instant::now();
        tokio::time::sleep(wait).await;
        let after = Self::measure(running).await;
        (after, after.percent_since(&before, began.elapsed()))
    }

    /// Reads what processes use; those that have ended use nothing.
    fn measure_processes(processes: &[i32]) -> Self {
        let mut all = Self::default();
        for pid in processes {
            let folder = format!("/proc/{pid}");
            let folder = Path::new(&folder);
            let Ok(status) = std::fs::read_to_string(folder.join("status")) else {
                continue;
            };
            let bytes = |name| number(&status, name) * 1024;
            all.processes += 1;
            all.memory_bytes += bytes("VmRSS:");
            all.peak_bytes += bytes("VmHWM:");
            all.own_bytes += bytes("RssAnon:");
            all.reserved_bytes += bytes("VmData:");
            all.threads += number(&status, "Threads:");
            let stat = std::fs::read_to_string(folder.join("stat")).unwrap_or_default();
            all.processor += processor_time(&stat);
            let schedule = std::fs::read_to_string(folder.join("schedstat")).unwrap_or_default();
            all.waited += waited(&schedule);
            let descriptors = std::fs::read_dir(folder.join("fd"));
            all.descriptors += descriptors.map_or(0, |list| list.count() as u64);
        }
        all
    }

    /// Returns the processor time since `before`, in percent of one processor over `wall`.
    pub(super) fn percent_since(&self, before: &Self, wall: Duration) -> f64 {
        let used = self.processor.saturating_sub(before.processor);
        100.0 * used.as_secs_f64() / wall.as_secs_f64().max(0.001)
    }
}

/// Returns bytes as MB with one decimal.
pub(super) fn megabytes(bytes: u64) -> f64 {
    one_decimal(bytes as f64 / 1e6)
}

pub(super) fn one_decimal(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

/// Returns the first number of the line that starts with `name`.
fn number(status: &str, name: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|line| line.split_ascii_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Returns user and system time from the line of `/proc/PID/stat`, in which the name may have any characters.
fn processor_time(stat: &str) -> Duration {
    const USER: usize = 11;
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let fields = fields.split_ascii_whitespace().skip(USER).take(2);
    let ticks: u64 = fields.flat_map(str::parse::<u64>).sum();
    Duration::from_secs_f64(ticks as f64 / clock_ticks_per_second() as f64)
}

/// Returns the time on the queue of a processor from `/proc/PID/schedstat`, which not every kernel has.
fn waited(schedule: &str) -> Duration {
    let nanoseconds = schedule.split_ascii_whitespace().nth(1);
    Duration::from_nanos(nanoseconds.and_then(|text| text.parse().ok()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_uses_something() {
        let pid = rustix::process::getpid().as_raw_nonzero().get();
        let usage = Usage::measure_processes(&[pid, i32::MAX]);
        assert_eq!(usage.processes, 1);
        assert!(usage.memory_bytes > 100_000 && usage.peak_bytes >= usage.memory_bytes);
        assert!(usage.threads >= 1 && usage.descriptors >= 3);
    }

    #[test]
    fn processor_time_is_found_whatever_the_name_is() {
        let stat = "7 (a) b) R 1 7 7 0 -1 0 1 2 3 4 250 50 0 0 20 0 1 0 5 6 7";
        let ticks = clock_ticks_per_second() as f64;
        assert_eq!(processor_time(stat), Duration::from_secs_f64(300.0 / ticks));
        let before = Usage::default();
        let after = Usage {
            processor: Duration::from_millis(500),
            ..before
        };
        assert!((after.percent_since(&before, Duration::from_secs(1)) - 50.0).abs() < 0.1);
    }
}
