//! The tiny client of ccd; everything is in the library.
//! Rust's own start of a program takes a tenth of the client's time. What it does and the client needs is done here.

#![no_main]

use std::ffi::{c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The exit status of a program that panicked, as in any Rust program.
const PANICKED: c_int = 101;

/// Called by the C library, which has passed the arguments to Rust's standard library before.
// SAFETY: no other item has the name `main`, and this has the signature that the C library expects.
#[unsafe(no_mangle)]
pub extern "C" fn main(_argc: c_int, _argv: *const *const c_char) -> c_int {
    // SAFETY: no other thread runs yet, and an ignored signal has no handler. A closed pipe is then an error of the write.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
    open_standard_descriptors();
    let status = catch_unwind(AssertUnwindSafe(|| c_int::from(ccctl_client::main())));
    status.unwrap_or(PANICKED)
}

/// Opens `/dev/null` for standard descriptors that are closed, so that none of them becomes the daemon's socket.
fn open_standard_descriptors() {
    for descriptor in 0..=2 {
        // SAFETY: both calls only take numbers and a text that ends with NUL; a closed descriptor is an error of the first.
        unsafe {
            if libc::fcntl(descriptor, libc::F_GETFD) == -1 {
                libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
            }
        }
    }
}
