//! Process information on macOS, where there is no `/proc`.

#[cfg(target_os = "macos")]
pub(crate) use libproc::{all_processes, environment_values};
#[cfg(target_os = "macos")]
pub use libproc::{name, process};

#[cfg(target_os = "macos")]
mod libproc {
    use std::ffi::{c_int, c_void};
    use std::mem::MaybeUninit;
    use std::ptr;

    /// Maximum length of the arguments and the environment of a process (`ARG_MAX`).
    const MAX_ARGUMENT_BYTES: usize = 1 << 20;

    /// Longer than the kernel's copy of a program's name.
    const MAX_NAME_BYTES: usize = 64;

    /// How many processes may be started between counting and listing them.
    const SPARE_PROCESSES: usize = 64;

    pub struct ProcessInfo {
        pub parent: i32,
        /// Microseconds since 1970.
        pub started_us: u64,
        /// The device number of its controlling terminal.
        pub tty_device: u64,
        /// The process group in the foreground of that terminal.
        pub foreground: i32,
    }

    /// Returns the process that has the number `pid`; `None` if it has ended, even if it was not reaped yet.
    pub fn process(pid: i32) -> Option<ProcessInfo> {
        let mut info = MaybeUninit::<libc::proc_bsdinfo>::zeroed();
        let len = size_of_val(&info) as c_int;
        let buffer = info.as_mut_ptr().cast();
        // SAFETY: the buffer is valid for `len` bytes during the call.
        let written = unsafe { libc::proc_pidinfo(pid, libc::PROC_PIDTBSDINFO, 0, buffer, len) };
        if written != len {
            return None;
        }
        // SAFETY: it was filled, and it is made of numbers.
        let info = unsafe { info.assume_init() };
        (info.pbi_status != libc::SZOMB).then_some(ProcessInfo {
            parent: info.pbi_ppid.cast_signed(),
            started_us: info.pbi_start_tvsec * 1_000_000 + info.pbi_start_tvusec,
            tty_device: u64::from(info.e_tdev),
            foreground: info.e_tpgid.cast_signed(),
        })
    }

    /// Returns the numbers of all processes; none if the system does not report them.
    pub(crate) fn all_processes() -> impl Iterator<Item = i32> {
        // SAFETY: without a buffer it only counts.
        let count = unsafe { libc::proc_listallpids(ptr::null_mut(), 0) };
        let mut pids = vec![0_i32; usize::try_from(count).unwrap_or(0) + SPARE_PROCESSES];
        let len = size_of_val(&pids[..]) as c_int;
        // SAFETY: the buffer is valid for `len` bytes during the call.
        let count = unsafe { libc::proc_listallpids(pids.as_mut_ptr().cast(), len) };
        pids.truncate(usize::try_from(count).unwrap_or(0));
        pids.into_iter()
    }

    /// Returns the program's name; `None` if the process has ended.
    pub fn name(pid: i32) -> Option<String> {
        let mut bytes = [0_u8; MAX_NAME_BYTES];
        let buffer: *mut c_void = bytes.as_mut_ptr().cast();
        // SAFETY: the buffer is valid for its length during the call.
        let len = unsafe { libc::proc_name(pid, buffer, MAX_NAME_BYTES as u32) };
        let name = bytes.get(..usize::try_from(len).ok()?)?;
        (!name.is_empty()).then(|| String::from_utf8_lossy(name).into_owned())
    }

    /// Returns the values of `variable` in the process's initial environment. The environment of another user's
    /// process, and of some of the system's own programs, cannot be read.
    pub(crate) fn environment_values(pid: i32, variable: &str) -> Vec<Vec<u8>> {
        let mut name = [libc::CTL_KERN, libc::KERN_PROCARGS2, pid];
        let mut area = Vec::<u8>::with_capacity(MAX_ARGUMENT_BYTES);
        let mut len = area.capacity();
        // SAFETY: the name has the given length, and `area` has room for `len` bytes; the kernel fills part of it and
        // returns how much. No value is set.
        unsafe {
            let code = libc::sysctl(
                name.as_mut_ptr(),
                name.len() as u32,
                area.as_mut_ptr().cast(),
                &raw mut len,
                ptr::null_mut(),
                0,
            );
            if code != 0 {
                return Vec::new();
            }
            area.set_len(len.min(area.capacity()));
        }
        let value = |entry: &[u8]| {
            let after_name = entry.strip_prefix(variable.as_bytes())?;
            after_name.strip_prefix(b"=").map(<[u8]>::to_vec)
        };
        let entries = super::environment(&area).into_iter().flatten();
        entries.filter_map(value).collect()
    }
}

/// Returns the entries of the environment in the result of `KERN_PROCARGS2`, which contains the number of arguments,
/// the program's path, padding, the arguments, and the environment.
#[cfg(any(target_os = "macos", test))]
fn environment(area: &[u8]) -> Option<impl Iterator<Item = &[u8]>> {
    let (count, strings) = area.split_first_chunk::<4>()?;
    let count = usize::try_from(i32::from_ne_bytes(*count)).ok()?;
    let path_len = strings.iter().position(|byte| *byte == 0)?;
    let padded = &strings[path_len..];
    let arguments = &padded[padded.iter().position(|byte| *byte != 0)?..];
    Some(
        arguments
            .split(|byte| *byte == 0)
            .skip(count)
            .take_while(|entry| !entry.is_empty()),
    )
}

#[cfg(test)]
mod tests {
    use super::environment;

    fn area(count: i32, strings: &[u8]) -> Vec<u8> {
        [&count.to_ne_bytes()[..], strings].concat()
    }

    #[test]
    fn the_environment_follows_the_arguments() {
        let area = area(
            2,
            b"/bin/env\0\0\0\0\0env\0A=argument\0A=1\0B=\0\0A=behind\0",
        );
        let entries: Vec<&[u8]> = environment(&area).unwrap().collect();
        assert_eq!(entries, [&b"A=1"[..], b"B="]);
    }

    #[test]
    fn what_has_no_environment_gives_none() {
        for odd in [
            &b""[..],
            b"abc",
            &area(1, b"/bin/ls"),
            &area(-1, b"/bin/ls\0\0ls\0A=1\0"),
        ] {
            assert!(environment(odd).is_none(), "{odd:?}");
        }
        let short = area(9, b"/bin/ls\0\0ls\0A=1\0");
        assert_eq!(environment(&short).unwrap().count(), 0);
    }
}
