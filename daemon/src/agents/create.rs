//! Starts agents, each in a session and, if asked, in a work tree of its own.

use super::error::AgentError;
use super::owner::Agents;
use crate::failure::{Failure, invalid};
use ccd_protocol::agent::{AgentCreateParams, AgentCreateReply};
use ccd_repository::WorkTree;
use ccd_session::peer::Peer;
use ccd_store::blocking;
use std::path::{Path, PathBuf};

impl Agents {
    pub(crate) async fn create(
        &self,
        peer: &Peer,
        params: AgentCreateParams,
    ) -> Result<AgentCreateReply, Failure> {
        let mut session = params.session;
        let made = match params.worktree {
            None => None,
            Some(branch) => {
                let Some(cwd) = session.cwd.clone() else {
                    return Err(
                        invalid("worktree needs cwd: the directory of the repository").into(),
                    );
                };
                Some(blocking(move || work_tree(&cwd, &branch)).await?)
            }
        };
        if let Some(made) = &made {
            session.cwd = Some(made.path.display().to_string());
        }
        match self.sessions.create(peer, session).await {
            Ok(session) => Ok(AgentCreateReply {
                session,
                worktree: made.map(|made| made.path.display().to_string()),
            }),
            Err(error) => {
                if let Some(made) = made {
                    blocking(move || made.from.remove_linked(&made.path, &made.branch)).await;
                }
                Err(error.into())
            }
        }
    }
}

struct Made {
    from: WorkTree,
    path: PathBuf,
    branch: String,
}

/// Makes a work tree beside that of `cwd`: `shop` and the branch `fix/lamp` give `shop-fix-lamp`.
fn work_tree(cwd: &str, branch: &str) -> Result<Made, AgentError> {
    let from = WorkTree::find(Path::new(cwd))?;
    let repository = from.repository();
    let name = repository.file_name().unwrap_or_default().to_string_lossy();
    let is_plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    let branch_name: String = branch
        .chars()
        .map(|c| if is_plain(c) { c } else { '-' })
        .collect();
    let path = repository.with_file_name(format!("{name}-{branch_name}"));
    from.new_linked(&path, branch)?.make()?;
    Ok(Made {
        path,
        branch: branch.to_owned(),
        from,
    })
}
