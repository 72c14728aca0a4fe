//! Tells the crate what it is compiled for: tapes say what they were recorded on.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = std::env::var("TARGET").unwrap_or_default();
    println!("cargo::rustc-env=CCD_TARGET={target}");
}
