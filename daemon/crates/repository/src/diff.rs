//! What changed between two trees, as git prints it.

use crate::WorkTree;
use crate::error::{RepositoryError, Result};
use git2::Oid;
use std::io::Read as _;
use std::process::{Child, Command, Stdio};

/// How long a diff may be. It is held in memory; only a run that adds something like a disk image exceeds this.
const DIFF_LEN: usize = 128 << 20;

/// How much of git's messages is kept.
const MESSAGE_LEN: u64 = 4096;

impl WorkTree {
    /// Returns what `git diff -M --binary before after` prints: renames at 50 %, binary files included, so that
    /// `git apply` turns the one tree into the other (but for a link that became a folder, which `git apply` refuses).
    /// [`crate::files`] lists the files in it.
    /// It is bytes, because files need not be UTF-8. The git program makes it: libgit2 pairs renames differently and
    /// takes twice the time. Settings for `git diff` do not count.
    pub fn diff(&self, before: &str, after: &str) -> Result<Vec<u8>> {
        for id in [before, after] {
            Oid::from_str(id).map_err(|error| self.git(error))?;
        }
        let (mut git, _folder) = self.program()?;
        if before == after {
            return Ok(Vec::new());
        }
        let mut child = diff_tree(&mut git, before, after)
            .spawn()
            .map_err(RepositoryError::GitMissing)?;
        let read = read(&mut child);
        if !matches!(&read, Ok((diff, _)) if diff.len() <= DIFF_LEN) {
            // It has ended already, or waits for somebody to read the rest.
            let _ = child.kill();
        }
        let status = child.wait();
        let failed = |message: String| RepositoryError::GitFailed {
            root: self.root.clone(),
            command: "diff-tree",
            message,
        };
        let (diff, message) = read.map_err(|error| failed(error.to_string()))?;
        if diff.len() > DIFF_LEN {
            return Err(RepositoryError::DiffTooLong {
                root: self.root.clone(),
                limit: DIFF_LEN,
                before: before.to_owned(),
                after: after.to_owned(),
            });
        }
        match status {
            Ok(status) if status.success() => Ok(diff),
            Ok(status) => Err(failed(format!("{} ({status})", message.trim()))),
            Err(error) => Err(failed(error.to_string())),
        }
    }
}

fn diff_tree<'a>(git: &'a mut Command, before: &str, after: &str) -> &'a mut Command {
    git.args(["diff-tree", "-r", "-p", "-M", "--binary"])
        .args(["--submodule=short", "--ignore-submodules=none"])
        .args([before, after])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
}

/// Returns the output, at most one byte more than allowed, and the messages.
fn read(child: &mut Child) -> std::io::Result<(Vec<u8>, String)> {
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        let messages = scope.spawn(move || {
            let mut bytes = Vec::new();
            if let Some(stderr) = stderr {
                // Messages only explain a failure.
                let _ = stderr.take(MESSAGE_LEN).read_to_end(&mut bytes);
            }
            String::from_utf8_lossy(&bytes).into_owned()
        });
        let mut diff = Vec::new();
        if let Some(stdout) = stdout {
            stdout.take(DIFF_LEN as u64 + 1).read_to_end(&mut diff)?;
        }
        if diff.len() > DIFF_LEN {
            return Ok((diff, String::new()));
        }
        Ok((diff, messages.join().unwrap_or_default()))
    })
}
