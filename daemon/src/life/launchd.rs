//! The socket that launchd passes to its agent.

use libc::{c_int, free};
use std::os::fd::RawFd;

/// Returns the first socket of the property list's entry `rpc`, if launchd started this process.
#[cfg(target_os = "macos")]
pub(super) fn passed_in() -> Option<RawFd> {
    unsafe extern "C" {
        fn launch_activate_socket(
            name: *const libc::c_char,
            descriptors: *mut *mut c_int,
            count: *mut usize,
        ) -> c_int;
    }
    // SAFETY: the name is a C string, and both pointers are valid for the call.
    first_of(|descriptors, count| unsafe {
        launch_activate_socket(c"rpc".as_ptr(), descriptors, count)
    })
}

/// Returns the first of the descriptors that `activate` puts into an allocated array.
fn first_of(activate: impl FnOnce(&mut *mut c_int, &mut usize) -> c_int) -> Option<RawFd> {
    let mut descriptors = std::ptr::null_mut();
    let mut count = 0;
    if activate(&mut descriptors, &mut count) != 0 || descriptors.is_null() {
        return None;
    }
    // SAFETY: on success the array has `count` elements.
    let first = (count > 0).then(|| unsafe { *descriptors });
    // SAFETY: launchd leaves the allocated array to its caller, and it is not used any more.
    unsafe { free(descriptors.cast()) };
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_sockets_is_taken_and_none_without_launchd() {
        let array = |values: &[c_int]| {
            // SAFETY: the new array has room for all values.
            unsafe {
                let array: *mut c_int =
                    libc::calloc(values.len().max(1), size_of::<c_int>()).cast();
                array.copy_from(values.as_ptr(), values.len());
                array
            }
        };
        let found = first_of(|descriptors, count| {
            (*descriptors, *count) = (array(&[7, 8]), 2);
            0
        });
        assert_eq!(found, Some(7));
        let empty = first_of(|descriptors, _| {
            *descriptors = array(&[]);
            0
        });
        assert_eq!(empty, None);
        assert_eq!(first_of(|_, _| libc::ESRCH), None);
    }
}
