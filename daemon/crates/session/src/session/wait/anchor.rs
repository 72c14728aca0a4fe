//! A timer that is always running while requests wait, so that theirs cost nothing.
//!
//! tokio writes to a descriptor and polls it when a timer becomes the next one to fire, which the timeout of nearly every
//! wait does, only to be dropped a moment later. While this timer runs, it is the next one.

use ccd_terminal::lock::lock;
use std::future::Future;
use std::pin::Pin;
use std::sync::Mutex;
use std::task::{Context, Waker};
use tokio::time::{Instant, Sleep, sleep_until};

/// The timer. Nothing happens when it fires.
#[derive(Debug, Default)]
pub(crate) struct Anchor(Mutex<Option<Pin<Box<Sleep>>>>);

impl Anchor {
    /// Keeps the timer running until a time that is not after `deadline`, if there is any time left.
    pub(crate) fn hold(&self, deadline: Instant) {
        let mut timer = lock(&self.0);
        let is_held = timer
            .as_ref()
            .is_some_and(|timer| timer.deadline() <= deadline && !timer.is_elapsed());
        if !is_held {
            let mut next = Box::pin(sleep_until(deadline));
            // Starts it. Nobody waits for it.
            let _ = next.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            *timer = Some(next);
        }
    }
}
