//! Sets the cfg `portable`, which builds terminals on what every Unix has, without epoll, signalfd and `/proc`.
//! It is set outside Linux, and on Linux with the feature of that name, which exists for the tests.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(portable)");
    let is_linux = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux");
    if !is_linux || env::var_os("CARGO_FEATURE_PORTABLE").is_some() {
        println!("cargo::rustc-cfg=portable");
    }
}
