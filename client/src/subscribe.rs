//! Subscriptions: items that the daemon pushes on a separate connection.

use crate::call::Connection;
use crate::failure::Failure;
use ccd_protocol::subscription::SubscriptionInfo;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A running subscription; it ends with its connection.
#[derive(Debug)]
pub(crate) struct Subscription {
    connection: Connection,
    info: SubscriptionInfo,
}

#[derive(Deserialize)]
struct Params {
    result: Box<RawValue>,
}

impl Subscription {
    /// Subscribes; `connection` is used for nothing else from now on.
    ///
    /// # Errors
    ///
    /// As [`Connection::request`].
    pub(crate) fn start(
        mut connection: Connection,
        info: SubscriptionInfo,
        params: &impl Serialize,
    ) -> Result<Self, Failure> {
        connection.request(info.name, params)?;
        Ok(Self { connection, info })
    }

    /// Waits for the next item and returns it as received.
    ///
    /// # Errors
    ///
    /// As [`Connection::next`].
    pub(crate) fn next(&mut self) -> Result<Box<RawValue>, Failure> {
        loop {
            let message = self.connection.next(self.info.name)?;
            if message.method.as_deref() != Some(self.info.notification) {
                continue;
            }
            let params = message.params.as_deref().map_or("null", RawValue::get);
            let params: Params =
                serde_json::from_str(params).map_err(|error| self.garbled(&error))?;
            return Ok(params.result);
        }
    }

    /// Parses an item.
    ///
    /// # Errors
    ///
    /// [`Failure::Garbled`] if it has another shape.
    pub(crate) fn parse<T: for<'de> Deserialize<'de>>(
        &self,
        item: &RawValue,
    ) -> Result<T, Failure> {
        serde_json::from_str(item.get()).map_err(|error| self.garbled(&error))
    }

    fn garbled(&self, error: &serde_json::Error) -> Failure {
        Failure::Garbled {
            method: self.info.name.to_owned(),
            why: error.to_string(),
        }
    }
}
