//! Passes the target platform to the crate: tapes contain the platform on which they were recorded.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = std::env::var("TARGET").unwrap_or_default();
    println!("cargo::rustc-env=CCD_TARGET={target}");
}
