//! Subscriptions: live output and progress of jobs.

use super::{CallError, Failure, Module, Pending, RpcResult, invalid};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ccd_connection::{Disconnected, Room, RoomPermit};
use ccd_protocol::job::{JobItem, JobSubscribeParams};
use ccd_protocol::session::{Ended, Lagged, OutputEvent, OutputItem, SessionSubscribeParams};
use ccd_protocol::subscription::{JOB_SUBSCRIBE, SESSION_SUBSCRIBE};
use ccd_screen::QueryStripper;
use ccd_session::Session;
use ccd_session::output::Piece;
use ccd_session::peer::Peer;
use ccd_text::expect::CleanStream;
use jsonrpsee::SubscriptionSink;
use jsonrpsee::types::ErrorObjectOwned;
use jsonrpsee::types::response::{SubscriptionPayload, SubscriptionResponse};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::task::task_tracker::TaskTrackerToken;

pub(super) const ITEM_BYTES: usize = 32 << 10;

/// The place that an item of so much output takes up: in base64, as text, and what is around them.
pub(super) const ITEM_ROOM_BYTES: usize = 80 << 10;

/// Interval of keep-alive items on a silent subscription; they also detect clients that have disconnected.
pub(super) const KEEP_ALIVE: Duration = Duration::from_secs(30);

pub(super) fn register(module: &mut Module) {
    module.subscription(SESSION_SUBSCRIBE, session_output);
    module.subscription(JOB_SUBSCRIBE, job_progress);
}

async fn session_output(pending: Pending, params: Result<SessionSubscribeParams, CallError>) {
    let prepared = async {
        let params = params?;
        let session = pending.daemon.sessions.find(&params.session).await?;
        let end = session.output.end();
        let from = params.since.unwrap_or(end);
        if from > end {
            return Err(invalid(format!(
                "since is {from}, but the output has only {end} bytes so far"
            ))
            .into());
        }
        if let Some(peer) = pending.extensions.get::<Peer>() {
            session.claim(peer);
        }
        Ok::<_, Failure>((session, from, params))
    };
    let prepared = prepared.await;
    let Some(((session, from, params), subscriber)) = pending.accept(prepared).await else {
        return;
    };
    let mut feed = Feed {
        subscriber,
        at: from,
        text: params
            .text
            .then(|| CleanStream::new(session.facts.encoding)),
        stripper: params.strip_queries.then(QueryStripper::new),
        live: false,
    };
    feed.run(&session).await;
}

impl Pending {
    /// Accepts a subscription that could be prepared, and rejects any other. `None` if there is nobody to send to.
    pub(super) async fn accept<T>(self, prepared: RpcResult<T>) -> Option<(T, Subscriber)> {
        match prepared {
            Ok(prepared) => {
                let subscriber = Subscriber {
                    _counted: self.daemon.subscriptions.token(),
                    room: self.extensions.get::<Room>()?.clone(),
                    sink: self.sink.accept().await.ok()?,
                    seq: 0,
                };
                Some((prepared, subscriber))
            }
            Err(error) => {
                self.sink.reject(ErrorObjectOwned::from(error)).await;
                None
            }
        }
    }
}

/// The client of one subscription, which counts until this is dropped.
pub(super) struct Subscriber {
    sink: SubscriptionSink,
    room: Room,
    /// Number of the next event.
    seq: u64,
    _counted: TaskTrackerToken,
}

impl Subscriber {
    pub(super) async fn closed(&self) {
        self.sink.closed().await;
    }

    pub(super) fn is_closed(&self) -> bool {
        self.sink.is_closed()
    }

    /// Waits for the place of an item of `bytes`. What takes long to make or much memory is made afterwards.
    pub(super) async fn place(&self, bytes: usize) -> Result<RoomPermit, Disconnected> {
        tokio::select! {
            biased;
            () = self.sink.closed() => Err(Disconnected),
            place = self.room.place(bytes) => place,
        }
    }

    /// Sends an event of a session.
    pub(super) async fn put(
        &mut self,
        place: RoomPermit,
        event: OutputEvent,
    ) -> Result<(), Disconnected> {
        let item = self.item(event);
        self.put_json(place, self.notification(&item)?).await
    }

    pub(super) fn item(&mut self, event: OutputEvent) -> OutputItem {
        let seq = self.seq;
        self.seq += 1;
        OutputItem { seq, event }
    }

    /// Sends an item that was made before there is a place for it: for items that are small or few.
    pub(super) async fn send(&self, item: &impl Serialize) -> Result<(), Disconnected> {
        let json = self.notification(item)?;
        let place = self.place(json.get().len()).await?;
        self.put_json(place, json).await
    }

    fn notification(&self, result: &impl Serialize) -> Result<Box<RawValue>, Disconnected> {
        let subscription = self.sink.subscription_id();
        let params = SubscriptionPayload {
            subscription,
            result,
        };
        let notification = SubscriptionResponse::new(self.sink.method_name().into(), params);
        to_raw_value(&notification).map_err(|error| {
            tracing::error!(%error, "could not write an item as JSON");
            Disconnected
        })
    }

    async fn put_json(&self, place: RoomPermit, json: Box<RawValue>) -> Result<(), Disconnected> {
        if self.is_closed() {
            return Err(Disconnected);
        }
        self.room.put(place, json).await
    }
}

/// One subscriber to one session's output: reads at the pace of its client.
struct Feed {
    subscriber: Subscriber,
    at: u64,
    text: Option<CleanStream>,
    stripper: Option<QueryStripper>,
    /// It has caught up with the session once. Before that it reads the log; from then on it may lag.
    live: bool,
}

impl Feed {
    async fn run(&mut self, session: &Arc<Session>) {
        while let Ok((place, event)) = self.next_event(session).await {
            let is_last = matches!(event, OutputEvent::Ended { .. });
            if self.subscriber.put(place, event).await.is_err() || is_last {
                return;
            }
        }
    }

    /// Returns the next event, for which there is a place already: a client that does not read costs an offset.
    async fn next_event(
        &mut self,
        session: &Arc<Session>,
    ) -> Result<(RoomPermit, OutputEvent), Disconnected> {
        loop {
            let place = self.subscriber.place(ITEM_ROOM_BYTES).await?;
            let changed = session.output.changed();
            let memory_start = session.output.memory_start();
            // After the end of a session, its memory is freed; the log contains all output.
            if self.live && self.at < memory_start && !session.output.has_ended() {
                return Ok((place, self.lagged(memory_start)));
            }
            let event = match session.output.read(self.at, ITEM_BYTES).await {
                Ok(Piece::Bytes(bytes)) => self.output(session, &bytes).await,
                Ok(Piece::Missing { resume }) => self.lagged(resume),
                Ok(Piece::End) => self.rest().unwrap_or_else(|| ended(session)),
                Ok(Piece::Pending) => {
                    self.live = true;
                    drop(place);
                    tokio::select! {
                        () = changed => continue,
                        () = self.subscriber.closed() => return Err(Disconnected),
                        () = tokio::time::sleep(KEEP_ALIVE) => {}
                    }
                    let place = self.subscriber.place(ITEM_ROOM_BYTES).await?;
                    return Ok((place, OutputEvent::KeepAlive { keep_alive: true }));
                }
                Err(error) => {
                    tracing::error!(session = %session.id(), %error, "could not read the log");
                    self.lagged(memory_start)
                }
            };
            return Ok((place, event));
        }
    }

    async fn output(&mut self, session: &Session, bytes: &[u8]) -> OutputEvent {
        let start = self.at;
        self.at += bytes.len() as u64;
        let stderr = session.stderr(start, self.at).await;
        OutputEvent::Output {
            start,
            end: self.at,
            data_b64: match &mut self.stripper {
                Some(stripper) => STANDARD.encode(stripper.strip(bytes)),
                None => STANDARD.encode(bytes),
            },
            text: self.text.as_mut().map(|text| text.feed(bytes)),
            stderr,
        }
    }

    /// Text that was held back, because more output could have continued it.
    fn rest(&mut self) -> Option<OutputEvent> {
        let text = self.text.take()?.finish();
        (!text.is_empty()).then(|| OutputEvent::Output {
            start: self.at,
            end: self.at,
            data_b64: String::new(),
            text: Some(text),
            stderr: Vec::new(),
        })
    }

    fn lagged(&mut self, to: u64) -> OutputEvent {
        let from = self.at;
        self.at = to.max(from);
        OutputEvent::Lagged {
            lagged: Lagged { from, to: self.at },
        }
    }
}

pub(super) fn ended(session: &Session) -> OutputEvent {
    let state = session.state();
    OutputEvent::Ended {
        ended: Ended {
            exitstatus: state.exit.and_then(|exit| exit.code),
            signal: state.exit.and_then(|exit| exit.signal),
            end_reason: state.end_reason,
            end: session.output.facts().bytes,
        },
    }
}

async fn job_progress(pending: Pending, params: Result<JobSubscribeParams, CallError>) {
    let daemon = Arc::clone(&pending.daemon);
    let known = match params {
        Ok(params) => match daemon.jobs.find(&params.job).await {
            Ok(job) => Ok(JobSubscribeParams { job, ..params }),
            Err(error) => Err(Failure::from(error)),
        },
        Err(error) => Err(error.into()),
    };
    let accepted = pending.accept(known).await;
    let Some((JobSubscribeParams { job, since }, subscriber)) = accepted else {
        return;
    };
    let mut watch = daemon.jobs.watch(&job);
    let mut since = since.unwrap_or(0);
    for seq in 0.. {
        if let Some(watch) = &mut watch {
            watch.borrow_and_update();
        }
        let Ok((record, batch)) = daemon.jobs.news(&job, since).await else {
            return;
        };
        since = batch.entries.last().map_or(since, |last| last.seq + 1);
        let ended = record.state.has_ended() && !batch.has_more;
        let item = JobItem {
            seq,
            job: record,
            entries: batch.entries,
            omitted_entries: batch.omitted,
            ended,
        };
        if subscriber.send(&item).await.is_err() || ended {
            return;
        }
        match &mut watch {
            _ if batch.has_more => {}
            None => return,
            Some(watch) => tokio::select! {
                changed = watch.changed() => drop(changed),
                () = subscriber.closed() => return,
            },
        }
    }
}
