//! Subscriptions: items that the daemon pushes on a separate connection.

use crate::Failure;
use crate::call::{Connection, garbled};
use ccd_protocol::subscription::SubscriptionInfo;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A running subscription; it ends with its connection.
#[derive(Debug)]
pub(crate) struct Subscription {
    connection: Connection,
    info: SubscriptionInfo,
}

impl Subscription {
    /// Subscribes; `connection` is used for nothing else from now on.
    pub(crate) fn start(
        mut connection: Connection,
        info: SubscriptionInfo,
        params: &impl Serialize,
    ) -> Result<Self, Failure> {
        connection.request(info.name, params)?;
        Ok(Self { connection, info })
    }

    /// Waits for the next item and returns it as received.
    pub(crate) fn next(&mut self) -> Result<Box<RawValue>, Failure> {
        loop {
            let message = self.connection.next(self.info.name)?;
            if message.method.as_deref() != Some(self.info.notification) {
                continue;
            }
            return message.item(self.info.name);
        }
    }

    pub(crate) fn parse<T: for<'de> Deserialize<'de>>(
        &self,
        item: &RawValue,
    ) -> Result<T, Failure> {
        serde_json::from_str(item.get()).map_err(|error| garbled(self.info.name, &error))
    }
}
