//! How long a large diff takes, next to git. Run alone, in release:
//! `cargo test --release -p ccd-repository timing -- --ignored --nocapture`

use crate::test_repository::{git, git_bytes, repository};
use crate::{WorkTree, files};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

const FILES: usize = 100;

/// About 10 MB of diff over all files: half of each file's lines are others.
fn content(file: usize, version: usize) -> String {
    let mut text = String::new();
    for line in 0..1500 {
        let version = if line % 2 == 0 { version } else { 0 };
        let seed = (line * 7919 + file * 104_729 + version * 31) % 1_000_003;
        writeln!(
            text,
            "{file:03} {line:05} {seed:07} of a line of ordinary length {version}"
        )
        .unwrap();
    }
    text
}

fn best_of<T>(runs: usize, mut run: impl FnMut() -> T) -> (Duration, T) {
    let mut timed = || {
        let start = Instant::now();
        let value = run();
        (start.elapsed(), value)
    };
    let first = timed();
    (1..runs).map(|_| timed()).fold(
        first,
        |best, next| if next.0 < best.0 { next } else { best },
    )
}

fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
#[ignore = "takes its time, and figures of a loaded machine mean nothing"]
fn timing_of_ten_megabytes_over_a_hundred_files() {
    let folder = repository();
    let root = folder.path();
    for file in 0..FILES {
        std::fs::write(root.join(format!("{file}.txt")), content(file, 0)).unwrap();
    }
    git(root, &["add", "."]);
    git(root, &["commit", "-q", "-m", "many"]);
    let tree = WorkTree::find(root).unwrap();
    let (clean, before) = best_of(3, || tree.snapshot().unwrap());
    for file in 0..FILES {
        std::fs::write(root.join(format!("{file}.txt")), content(file, 1)).unwrap();
    }
    let start = Instant::now();
    let after = tree.snapshot().unwrap();
    let first = start.elapsed();
    let (again, _) = best_of(3, || tree.snapshot().unwrap());
    let (by_git, expected) = best_of(5, || {
        git_bytes(root, &["diff", "-M", "--binary", &before, &after], &[])
    });
    let (ours, list) = best_of(5, || {
        let diff = tree.diff(&before, &after).unwrap();
        assert_eq!(diff.len(), expected.len());
        files(&diff)
    });
    let (listing, _) = best_of(3, || files(&expected));
    println!("diff: {} bytes, {} files", expected.len(), list.len());
    println!("git diff {by_git:?}; diff and list {ours:?}, of which list {listing:?}");
    println!("snapshot: clean {clean:?}, changed {first:?}, again {again:?}");
    println!(
        "peak of this process, two diffs in memory: {} KiB",
        peak_kib()
    );
    assert_eq!(list.len(), FILES);
    assert!(ours < by_git * 2, "more than twice the time of git");
    assert!(peak_kib() < 100 * 1024);
}
