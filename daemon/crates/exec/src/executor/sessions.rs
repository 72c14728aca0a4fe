//! Conversations: which one a run belongs to, and the methods that show and end them.

use super::Executor;
use super::owner::repository_of;
use crate::command::{ConversationId, RunStart};
use crate::error::ExecError;
use crate::record::{ExecWrite, RecordReader};
use crate::request::ConversationChoice;
use ccd_protocol::exec::{
    ExecSessionInfo, ExecSessionStatus, ExecSessionsParams, ExecSessionsReply,
};

const DAY_S: f64 = 86_400.0;

impl Executor {
    pub async fn sessions(
        &self,
        params: ExecSessionsParams,
    ) -> Result<ExecSessionsReply, ExecError> {
        let repository = repository_of(params.repo_path.as_deref()).await?;
        let sessions = self.sessions_of(repository.as_deref(), params.status);
        Ok(ExecSessionsReply {
            sessions: sessions.await?,
        })
    }

    async fn sessions_of(
        &self,
        repository: Option<&str>,
        status: Option<ExecSessionStatus>,
    ) -> Result<Vec<ExecSessionInfo>, ExecError> {
        let reader = RecordReader(self.database().await?);
        let mut sessions = reader.sessions(repository, None, &self.expired()).await?;
        sessions.retain(|session| status.is_none_or(|status| session.status == status));
        Ok(sessions)
    }

    pub async fn session(&self, start: &str) -> Result<ExecSessionInfo, ExecError> {
        let reader = RecordReader(self.database().await?);
        let id = reader.session_id(start).await?;
        let mut session = reader.session(&id, &self.expired()).await?;
        session.conversation_history = Some(reader.messages(&id).await?);
        Ok(session)
    }

    pub async fn end_session(&self, start: &str) -> Result<ExecSessionInfo, ExecError> {
        let database = self.database().await?;
        let id = RecordReader(database).session_id(start).await?;
        let end = ExecWrite::EndSession {
            session_id: id.clone(),
        };
        database.commit(end).await?;
        self.session(&id).await
    }

    pub(super) async fn conversation(
        &self,
        wanted: &ConversationChoice,
        repository: &str,
    ) -> Result<RunStart, ExecError> {
        let reader = RecordReader(self.database().await?);
        let session = match wanted {
            ConversationChoice::New => return Ok(RunStart::New(parse(&new_id())?)),
            ConversationChoice::Resume(id) => {
                // A unique prefix will do, as everywhere.
                let id = reader.session_id(id).await?;
                reader.session(&id, &self.expired()).await?
            }
            ConversationChoice::Last => {
                let active = Some(ExecSessionStatus::Active);
                let sessions = self.sessions_of(Some(repository), active).await?;
                let last = sessions.into_iter().next();
                last.ok_or_else(|| ExecError::NoLastSession(repository.to_owned()))?
            }
        };
        match session.status {
            ExecSessionStatus::Completed => return Err(ExecError::Completed(session.session_id)),
            ExecSessionStatus::Expired => {
                return Err(ExecError::Expired {
                    id: session.session_id,
                    last: session.last_accessed,
                    days: self.settings().session_days,
                });
            }
            ExecSessionStatus::Active => {}
        }
        if session.repo_path != repository {
            return Err(ExecError::OtherRepository {
                id: session.session_id,
                theirs: session.repo_path,
                ours: repository.to_owned(),
            });
        }
        Ok(RunStart::Resume(parse(&session.session_id)?))
    }

    /// Returns the time before which a conversation that was not used since has expired.
    fn expired(&self) -> String {
        let days = self.settings().session_days;
        ccd_base::clock::seconds_ago(f64::from(days) * DAY_S)
    }
}

fn parse(id: &str) -> Result<ConversationId, ExecError> {
    ConversationId::parse(id).ok_or_else(|| ExecError::NoSession(id.to_owned()))
}

/// Returns a random uuid (version 4).
pub(super) fn new_id() -> String {
    let (time, middle, end): (u32, [u16; 3], u64) = rand::random();
    let [low, version, variant] = middle;
    format!(
        "{time:08x}-{low:04x}-4{:03x}-{:04x}-{:012x}",
        version & 0x0fff,
        variant & 0x3fff | 0x8000,
        end >> 16
    )
}

#[cfg(test)]
mod tests {
    use super::{ConversationId, new_id};

    #[test]
    fn new_ids_are_uuids_of_version_4_and_differ() {
        let (one, two) = (new_id(), new_id());
        assert_ne!(one, two);
        assert_eq!(one.as_bytes()[14], b'4');
        assert!(ConversationId::parse(&one).is_some(), "{one}");
    }
}
