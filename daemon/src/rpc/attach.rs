//! `session.attach`: what an attached terminal shows.

use super::subscribe::{ITEM_BYTES, ITEM_ROOM_BYTES, KEEP_ALIVE, Subscriber, ended};
use super::{CallError, Failure, Module, Pending, invalid};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ccd_connection::Disconnected;
use ccd_protocol::session::{OutputEvent, Repaint, SessionAttachParams};
use ccd_protocol::subscription::SESSION_ATTACH;
use ccd_screen::{QueryStripper, Screen, Viewport};
use ccd_session::output::Piece;
use ccd_session::peer::Peer;
use ccd_session::{Attached, Looked, Session, SessionError, Size, wait_for_published};
use encoding_rs::UTF_8;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast;

/// A viewer that lags further behind than this gets the current screen instead of the output in between.
const MAX_BEHIND_BYTES: u64 = 1 << 20;

/// Time between two screens for a viewer whose terminal has another size.
const FRAME: Duration = Duration::from_millis(33);

pub(super) fn register(module: &mut Module) {
    module.subscription(SESSION_ATTACH, attach);
}

async fn attach(pending: Pending, params: Result<SessionAttachParams, CallError>) {
    let notices = pending.daemon.agents.notices();
    let attached = async {
        let params = params?;
        let peer = pending.extensions.get::<Peer>();
        let peer = peer.ok_or_else(|| invalid("who attaches?"))?;
        let attached = pending.daemon.sessions.attach(peer, &params).await?;
        if !params.read_only {
            attached.session.claim(peer);
        }
        Ok::<_, Failure>(attached)
    };
    let attached = attached.await;
    let Some((attached, subscriber)) = pending.accept(attached).await else {
        return;
    };
    let session = Arc::clone(&attached.session);
    let mut view = View {
        subscriber,
        attached,
        notices,
    };
    if let Err(Gone::Failed(error)) = view.run(&session).await {
        tracing::error!(session = %session.id(), %error, "could not show the screen to a viewer");
    }
}

enum Gone {
    /// The client has disconnected, or the session has ended and the client was sent its end.
    Done,
    Failed(SessionError),
}

/// Result of showing the session in one of the two ways.
type Shown = Result<(), Gone>;

struct View {
    subscriber: Subscriber,
    attached: Attached,
    /// What other parts have terminals show, in between.
    notices: broadcast::Receiver<Arc<[u8]>>,
}

impl View {
    async fn run(&mut self, session: &Arc<Session>) -> Shown {
        loop {
            self.attached.resized.borrow_and_update();
            let own = self.attached.size();
            let is_text_of_terminals = session.facts.encoding == UTF_8;
            if own == session.size() && is_text_of_terminals {
                self.follow(session).await?;
            } else {
                self.draw(session, own).await?;
            }
        }
    }

    /// For terminals of the same size: sends the screen once, then output as it arrives. Returns when the screen must
    /// be sent again.
    async fn follow(&mut self, session: &Arc<Session>) -> Shown {
        let upto = wait_for_published(session).await;
        let looked = look(session, upto, |screen| {
            (screen.repaint_again(), screen.open_bytes())
        })
        .await?;
        let ((picture, open), drawn) = (looked.seen, looked.offset);
        self.repaint(session, &picture, drawn).await?;
        let mut stripper = QueryStripper::new();
        let mut at = drawn.saturating_sub(open);
        loop {
            let changed = session.output.changed();
            let is_behind = session.output.published() > at + MAX_BEHIND_BYTES;
            if is_behind || self.attached.resized.has_changed().unwrap_or(true) {
                return Ok(());
            }
            let place = self.subscriber.place(ITEM_ROOM_BYTES).await;
            let place = place.map_err(|Disconnected| Gone::Done)?;
            match session.output.read(at, ITEM_BYTES).await {
                Ok(Piece::Bytes(bytes)) => {
                    let start = at;
                    at += bytes.len() as u64;
                    let shown = stripper.strip(&bytes);
                    let event = OutputEvent::Output {
                        start,
                        end: at,
                        data_b64: STANDARD.encode(shown),
                        text: None,
                        stderr: Vec::new(),
                    };
                    let sent = self.subscriber.put(place, event).await;
                    sent.map_err(|Disconnected| Gone::Done)?;
                }
                Ok(Piece::Missing { .. }) => return Ok(()),
                Ok(Piece::End) => {
                    drop(place);
                    return self.end(session).await;
                }
                Ok(Piece::Pending) => {
                    drop(place);
                    tokio::select! {
                        () = changed => {}
                        _ = self.attached.resized.changed() => return Ok(()),
                        Ok(notice) = self.notices.recv() => self.notice(&notice, at).await?,
                        () = self.subscriber.closed() => return Err(Gone::Done),
                        () = tokio::time::sleep(KEEP_ALIVE) => {
                            self.show(OutputEvent::KeepAlive { keep_alive: true }).await?;
                        }
                    }
                }
                Err(error) => return Err(Gone::Failed(SessionError::Files(error))),
            }
        }
    }

    /// For terminals of different sizes or encodings: sends the part of the screen that fits, each time it changes.
    /// Returns when a size changes.
    async fn draw(&mut self, session: &Arc<Session>, own: Size) -> Shown {
        let mut viewport = Viewport::new(own);
        if let Some(corner) = self.attached.panned_to() {
            viewport = viewport.fixed_at(corner);
        }
        loop {
            let changed = session.output.changed();
            let ended = session.output.has_ended();
            let upto = session.output.published();
            let looked = look(session, upto, move |screen| {
                let picture = viewport.draw(screen);
                (picture, viewport)
            })
            .await?;
            let (picture, offset) = (looked.seen.0, looked.offset);
            viewport = looked.seen.1;
            self.attached.sees_from(viewport.corner());
            if !picture.is_empty() {
                self.repaint(session, &picture, offset).await?;
            }
            if looked.is_behind {
                if self.subscriber.is_closed() {
                    return Err(Gone::Done);
                }
                continue;
            }
            if ended {
                return self.end(session).await;
            }
            tokio::select! {
                () = changed => {}
                _ = self.attached.resized.changed() => return Ok(()),
                Ok(notice) = self.notices.recv() => self.notice(&notice, offset).await?,
                () = self.subscriber.closed() => return Err(Gone::Done),
                () = tokio::time::sleep(KEEP_ALIVE) => {
                    self.show(OutputEvent::KeepAlive { keep_alive: true }).await?;
                }
            }
            tokio::time::sleep(FRAME).await;
        }
    }

    async fn repaint(&mut self, session: &Session, picture: &[u8], offset: u64) -> Shown {
        let (rows, cols) = session.size();
        self.show(OutputEvent::Repaint {
            repaint: Repaint {
                data_b64: STANDARD.encode(picture),
                rows,
                cols,
                offset,
            },
        })
        .await
    }

    /// Sends a sequence that is not output of the session.
    async fn notice(&mut self, sequence: &[u8], offset: u64) -> Shown {
        self.show(OutputEvent::Output {
            start: offset,
            end: offset,
            data_b64: STANDARD.encode(sequence),
            text: None,
            stderr: Vec::new(),
        })
        .await
    }

    async fn end(&mut self, session: &Session) -> Shown {
        self.show(ended(session)).await?;
        Err(Gone::Done)
    }

    async fn show(&mut self, event: OutputEvent) -> Shown {
        let item = self.subscriber.item(event);
        let sent = self.subscriber.send(&item).await;
        sent.map_err(|Disconnected| Gone::Done)
    }
}

/// Calls `look` with the screen after the output up to `upto`.
async fn look<T: Send + 'static>(
    session: &Session,
    upto: u64,
    look: impl FnOnce(&mut Screen) -> T + Send + 'static,
) -> Result<Looked<T>, Gone> {
    let looked = session.screen.look(&session.output, upto, look).await;
    looked.map_err(|error| Gone::Failed(SessionError::Files(error)))
}
