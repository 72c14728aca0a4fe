//! The work tree that a run with `worktree` gets for itself.

use super::carry_out::RunTask;
use super::ready::Steps;
use crate::error::{ExecError, system};
use crate::run::before::RunDirectory;
use crate::run::live;
use crate::run::program;
use crate::verdict::{EndCause, exit_code};
use ccd_protocol::exec::ExecPhase;
use ccd_repository::{NewLinked, RepositoryError};
use ccd_terminal::supervised::SupervisedProgram;
use std::io;
use std::os::fd::AsFd as _;

impl RunTask {
    /// Makes the fresh work tree, with the repository's hooks and filters if the configuration says so.
    /// On an error, neither the work tree nor its branch is left.
    pub(super) async fn fresh(&self, steps: &Steps) -> Result<RunDirectory, ExecError> {
        let (place, id) = (self.planned.place.clone(), self.planned.request_id.clone());
        let worktrees = self.executor.paths.worktrees.clone();
        let new = self
            .in_work_tree(move || place.new_linked(&id, &worktrees))
            .await?;
        let place = self.planned.place.clone();
        if self.executor.settings().worktree_setup {
            return self.set_up(new).await;
        }
        let remove = self.removal();
        let take_back = move |_: &RunDirectory| {
            remove();
            Ok(())
        };
        let make = move || Ok(place.moved_to(new.make()?));
        let root = &self.planned.place.tree.root;
        steps.unless_late(root, make, take_back).await
    }

    /// Has git make the work tree. It runs hooks and filters there, so it is under the limits of the run, as Claude Code is, and is
    /// ended with everything that it has started.
    async fn set_up(&self, new: NewLinked) -> Result<RunDirectory, ExecError> {
        let git = self.git(&new)?;
        let (stdin, _) = io::pipe().map_err(system("git cannot be started"))?;
        let mut following = self.following();
        following.limits.stall = None; // it prints nothing
        following.progress = self.progress(ExecPhase::Preparing);
        let finished = live::run(&git, stdin.as_fd(), None, following).await?;
        if finished.cause.is_some() {
            self.in_work_tree(move || new.undo()).await;
            return Err(match finished.cause {
                Some(EndCause::TimeLimit { limit_s }) => ExecError::WorktreeTimeout {
                    root: self.planned.place.tree.root.clone(),
                    seconds: limit_s,
                },
                _ => ExecError::Cancelled,
            });
        }
        let code = exit_code(finished.exit);
        let place = self.planned.place.clone();
        self.in_work_tree(move || {
            let tree = new.made(code, &finished.printed.stderr)?;
            Ok(place.moved_to(tree))
        })
        .await
    }

    fn git(&self, new: &NewLinked) -> Result<SupervisedProgram, ExecError> {
        let mut env = self.planned.env.clone();
        let arguments = new.setup(&mut env);
        let search = env.get("PATH").map_or("", String::as_str);
        let path = program::find("git", search)
            .map_err(|_| RepositoryError::GitMissing(io::ErrorKind::NotFound.into()))?;
        Ok(SupervisedProgram {
            path: path.to_string_lossy().into_owned(),
            arguments: arguments
                .map(|word| word.to_string_lossy().into_owned())
                .to_vec(),
            cwd: self.planned.place.tree.root.clone(),
            env: env.into_iter().collect(),
            settings: self.planned.settings.clone(),
        })
    }

    /// Removes the fresh work tree: nobody has worked in it.
    pub(super) async fn remove_fresh(&self) {
        self.in_work_tree(self.removal()).await;
    }

    fn removal(&self) -> impl FnOnce() + Send + use<> {
        let (place, id) = (self.planned.place.clone(), self.planned.request_id.clone());
        let worktrees = self.executor.paths.worktrees.clone();
        move || place.remove_fresh(&id, &worktrees)
    }
}
