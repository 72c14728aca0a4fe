//! One run, from its start to its result.

use crate::error::ExecError;
use std::path::Path;
use std::time::Duration;

pub(crate) mod after;
pub(crate) mod before;
pub(crate) mod files;
mod history;
pub(crate) mod live;
pub(crate) mod output;
pub(crate) mod plain;
pub(crate) mod playing;
mod process;
pub(crate) mod program;
pub(crate) mod recorder;

/// Does work in a work tree, which blocks. What it writes has the modes that the caller's own git would give it: the daemon's
/// own files are private.
pub(crate) use ccd_terminal::holder::with_mask as in_work_tree;

/// Waits for work in the work tree `root`, at most `limit`. Where git does not answer, the thread is left to itself.
pub(crate) async fn answered<T, E>(
    root: &Path,
    limit: Duration,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, ExecError>
where
    ExecError: From<E>,
{
    let late = |_| ExecError::NoAnswer {
        root: root.to_owned(),
        seconds: limit.as_secs(),
    };
    Ok(tokio::time::timeout(limit, work).await.map_err(late)??)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn where_git_does_not_answer_that_is_the_error_and_it_names_the_likely_reason() {
        let hangs = std::future::pending::<Result<(), ExecError>>();
        let error = answered(Path::new("/p"), Duration::from_millis(1), hangs).await;
        let error = error.unwrap_err().to_string();
        assert!(
            error.starts_with("/p: git did not answer within 0 s; look for a named pipe"),
            "{error}"
        );
    }
}
