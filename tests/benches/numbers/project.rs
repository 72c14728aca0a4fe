//! A made-up project under git: the same for the same size.

use crate::Result;
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;
use std::process::Command;

/// Seven of ten are code.
const KINDS: [&str; 10] = [
    "ts", "rs", "py", "go", "java", "js", "sh", "md", "json", "txt",
];
/// Of every so many files, one has an open point.
const POINT_EVERY: usize = 50;

/// Writes a project of `files` files with `lines` lines in all, a plan and a manifest, and commits it.
pub(crate) fn create(root: &Path, files: usize, lines: usize) -> Result<()> {
    let mut random = StdRng::seed_from_u64(20);
    for number in 0..files {
        let folder = root.join(format!("src/part{}/area{}", number / 200, number / 20 % 10));
        fs::create_dir_all(&folder)?;
        let kind = KINDS[number % KINDS.len()];
        let file = File::create(folder.join(format!("file{number}.{kind}")))?;
        source(
            BufWriter::new(file),
            kind,
            number,
            lines / files,
            &mut random,
        )?;
    }
    let task = |number: usize| {
        let mark = if number < 50 { 'x' } else { ' ' };
        format!("- [{mark}] T{number:03} Do part {number}\n")
    };
    let plan: String = (0..200).map(task).collect();
    fs::write(root.join("tasks.md"), format!("## Phase 1: All\n\n{plan}"))?;
    fs::write(
        root.join("package.json"),
        r#"{"name": "big", "devDependencies": {"vitest": "1"}}"#,
    )?;
    fs::write(root.join(".gitignore"), "node_modules/\ndist/\n*.log\n")?;
    git(root, &["init", "-q", "-b", "main"])?;
    git(root, &["add", "."])?;
    git(root, &["commit", "-q", "-m", "first"])
}

fn source(
    mut file: impl std::io::Write,
    kind: &str,
    number: usize,
    lines: usize,
    random: &mut StdRng,
) -> Result<()> {
    let mark = match kind {
        "py" | "sh" => "#",
        _ => "//",
    };
    for line in 0..lines {
        match line % 8 {
            _ if line == lines / 2 && number.is_multiple_of(POINT_EVERY) => {
                writeln!(file, "{mark} TODO: look at point {number}")?;
            }
            3 => writeln!(file)?,
            7 => writeln!(file, "    {mark} explains the lines that follow {line}")?,
            _ => {
                let value = random.random_range(0..1_000_000);
                writeln!(
                    file,
                    "    value_{line} = compute(\"text {line}\", {value});"
                )?;
            }
        }
    }
    file.flush()?;
    Ok(())
}

fn git(root: &Path, args: &[&str]) -> Result<()> {
    let identity = "-c user.name=bench -c user.email=bench@example.com";
    let status = Command::new("git")
        .args(identity.split(' '))
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .current_dir(root)
        .status()?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("git {args:?} ended with {status}").into())
    }
}
