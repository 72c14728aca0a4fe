//! `chain.watch`: reports each match of patterns in a program's output as it appears.

use super::job_context::{JobContext, Work};
use crate::failure::{Failure, invalid};
use crate::job::{Jobs, Outcome};
use ccd_protocol::chain::{ChainStarted, ChainWatch, ChainWatchParams, WatchHit};
use ccd_protocol::session::{EndReason, Pattern, SessionCreateParams};
use ccd_protocol::{Method, Timeout};
use ccd_session::durations::Deadline;
use ccd_session::peer::Peer;
use ccd_session::{LineHit, OneShot, PatternHits, Session, SessionError, Sessions, text_of};
use ccd_text::expect::{Matcher, Patterns};
use ccd_text::hidden::Masked;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// How long the end of a watch waits for its program to exit; after that, the program is ended in the background.
const END_WAIT: Duration = Duration::from_millis(250);

/// After this many matches in a row, the task yields so that another task can send them.
const HITS_IN_A_ROW: u64 = 64;

struct Watch {
    patterns: Arc<Patterns>,
    written: Vec<String>,
    source: Source,
    timeout: Timeout,
    max_hits: u64,
}

enum Source {
    Program(Box<SessionCreateParams>),
    Session(Arc<Session>, u64),
}

enum Over {
    Ended,
    TimedOut,
    Enough,
    Cancelled,
}

/// Starts the job that watches a program or a session.
pub(crate) async fn start_watch(
    jobs: &Jobs,
    sessions: &Arc<Sessions>,
    peer: Peer,
    mut params: ChainWatchParams,
) -> Result<ChainStarted, Failure> {
    let (cwd, env) = (params.cwd.take(), std::mem::take(&mut params.env));
    let inherited = std::mem::take(&mut params.inherited);
    let (work, mut warnings) = Work::new(sessions, peer, cwd, env, inherited)?;
    Deadline::start(params.timeout_ms, None, &mut warnings).map_err(SessionError::from)?;
    let watch = Watch {
        patterns: patterns(sessions, &params.patterns).await?,
        written: params.patterns.iter().map(text_of).collect(),
        timeout: params.timeout_ms,
        max_hits: params.max_hits.unwrap_or(u64::MAX),
        source: source(sessions, &work, params).await?,
    };
    if watch.max_hits == 0 {
        return Err(invalid("max_hits is 0: give 1 or more").into());
    }
    let run = |context: JobContext| async move {
        context.tell(json!({"hits": 0}));
        match watch.run(&context).await {
            Ok(outcome) => outcome,
            Err(_) if context.is_cancelled() => Outcome::cancelled(),
            Err(error) => Outcome::failed(error.to_string()),
        }
    };
    let job = work.start(jobs, ChainWatch::NAME, "hits", run).await?;
    Ok(ChainStarted { job, warnings })
}

async fn patterns(sessions: &Sessions, list: &[Pattern]) -> Result<Arc<Patterns>, Failure> {
    let is_text = |pattern: &Pattern| matches!(pattern, Pattern::Regex(_) | Pattern::Exact(_));
    if let Some(index) = list.iter().position(|pattern| !is_text(pattern)) {
        let what = "is neither regex nor exact: exit and timeout need no pattern";
        return Err(invalid(format!("patterns[{index}] {what}")).into());
    }
    let patterns = sessions.line_patterns(list).await?;
    let empty = Matcher::new(Arc::clone(&patterns), 0, encoding_rs::UTF_8).pause();
    match empty {
        Some(hit) => {
            let what = "matches empty text, so it would match everywhere";
            Err(invalid(format!("patterns[{}] {what}", hit.index)).into())
        }
        None => Ok(patterns),
    }
}

async fn source(
    sessions: &Sessions,
    work: &Work,
    params: ChainWatchParams,
) -> Result<Source, Failure> {
    let Some(name) = params.session else {
        if params.since.is_some() {
            return Err(invalid("since needs a session").into());
        }
        let (mut program, mut args) = (params.program, params.args);
        if params.shell {
            let line = std::mem::replace(&mut program, "sh".into());
            args.splice(0..0, ["-c".into(), line, "sh".into()]);
        }
        return Ok(Source::Program(Box::new(SessionCreateParams {
            program: Some(program),
            args,
            env: work.env.clone(),
            ..SessionCreateParams::default()
        })));
    };
    if !params.program.is_empty() {
        return Err(invalid("give program or session, not both").into());
    }
    let session = sessions.find(&name).await?;
    let end = session.output.end();
    let since = params.since.unwrap_or(end);
    if since > end {
        let message = format!("since is {since}, but the output has only {end} bytes so far");
        return Err(invalid(message).into());
    }
    Ok(Source::Session(session, since))
}

impl Watch {
    async fn run(self, context: &JobContext) -> Result<Outcome, SessionError> {
        let (program, session, from) = match &self.source {
            Source::Program(params) => {
                let program = context.start((**params).clone(), self.timeout).await?;
                program.without_input();
                let session = Arc::clone(&program.session);
                (Some(program), session, 0)
            }
            Source::Session(session, from) => (None, Arc::clone(session), *from),
        };
        // The timeout starts with the program.
        let limit = match self.source {
            Source::Program(_) => context.runtime_limit(),
            Source::Session(..) => None,
        };
        let deadline =
            Deadline::start(self.timeout, limit, &mut Vec::new()).map_err(SessionError::from)?;
        let mut hits = PatternHits::new(Arc::clone(&session), Arc::clone(&self.patterns), from);
        let over = tokio::select! {
            biased;
            () = context.handle.cancelled().cancelled() => Over::Cancelled,
            () = tokio::time::sleep_until(deadline.instant()) => Over::TimedOut,
            over = self.follow(&mut hits, &session, context) => over?,
        };
        if let Some(program) = program {
            end(program, &over).await;
        }
        let exit = session.state().exit;
        let result = json!({
            "exit_code": exit.and_then(|exit| exit.code),
            "signal": exit.and_then(|exit| exit.signal),
            "timed_out": matches!(over, Over::TimedOut),
            "session_id": session.id().as_str(),
        });
        Ok(match over {
            Over::Cancelled => Outcome::cancelled().with(result),
            Over::Ended | Over::TimedOut | Over::Enough => Outcome::done(result),
        })
    }

    async fn follow(
        &self,
        hits: &mut PatternHits,
        session: &Session,
        context: &JobContext,
    ) -> Result<Over, SessionError> {
        for count in 1..=self.max_hits {
            let Some(hit) = hits.next().await? else {
                return Ok(Over::Ended);
            };
            context.handle.entry(self.told(hit, session), None);
            context.tell(json!({ "hits": count }));
            if count % HITS_IN_A_ROW == 0 {
                tokio::task::yield_now().await;
            }
        }
        Ok(Over::Enough)
    }

    /// Returns a match as it is reported: with secrets in its line redacted, and the session's hidden input masked.
    fn told(&self, hit: LineHit, session: &Session) -> WatchHit {
        let masked = Masked::new(&hit.text, &session.hidden);
        let groups = hit.groups.into_iter();
        WatchHit {
            index: hit.index,
            pattern: self.written.get(hit.index).cloned().unwrap_or_default(),
            matched: masked.part(hit.matched),
            groups: groups
                .map(|group| group.map(|group| masked.part(group)))
                .collect(),
            line: masked.part(hit.line),
            offset: hit.start,
            end: hit.end,
            time: ccd_base::clock::now(),
        }
    }
}

/// Ends a program that is no longer watched. The job ends at the timeout; the program is ended afterwards.
async fn end(program: OneShot, over: &Over) {
    let ended = async |program: OneShot| {
        match over {
            Over::Ended => program.session.wait_dead().await,
            _ => program.end(EndReason::Closed).await,
        }
        program.collect().await
    };
    let ended = match over {
        Over::TimedOut => return program.end_behind(EndReason::Runtime),
        Over::Cancelled => Ok(ended(program).await),
        Over::Ended | Over::Enough => tokio::time::timeout(END_WAIT, ended(program)).await,
    };
    if let Ok(Err(error)) = ended {
        tracing::warn!(%error, "could not clean up after a watched program");
    }
}
