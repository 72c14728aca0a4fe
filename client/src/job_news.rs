//! A job's growing list of results, each entry once, across the end of a connection.

use crate::Failure;
use crate::call::{Connection, DaemonAddress, lost};
use crate::fields::Fields as _;
use crate::lifeline::Lifeline;
use crate::subscribe::Subscription;
use ccd_protocol::subscription::JOB_SUBSCRIBE;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::VecDeque;

#[derive(Debug)]
pub(crate) enum News {
    Entry(Value),
    /// This many entries arrived too fast and were dropped.
    Omitted(u64),
    /// The job's record, without its list.
    Changed(Value),
    /// The last record, without its list; the job has ended.
    Ended(Value),
}

/// A job that is followed from its start to its end.
#[derive(Debug)]
pub(crate) struct JobNews {
    place: DaemonAddress,
    params: Value,
    subscription: Subscription,
    /// True if this connection has delivered an item.
    has_news: bool,
    waiting: VecDeque<News>,
    /// Cutting it ends the wait.
    lifeline: Lifeline,
}

impl JobNews {
    /// Subscribes to a job of the daemon at `place`, and to its entries from `since`, or those that are kept.
    pub(crate) fn start(
        place: DaemonAddress,
        job: &str,
        since: Option<u64>,
    ) -> Result<Self, Failure> {
        let params = json!({"job": job, "since": since});
        let connection = Connection::over(place.connect()?);
        let lifeline = Lifeline::new(connection.handle()?);
        Ok(Self {
            subscription: Subscription::start(connection, JOB_SUBSCRIBE, &params)?,
            place,
            params,
            has_news: true,
            waiting: VecDeque::new(),
            lifeline,
        })
    }

    pub(crate) fn lifeline(&self) -> Lifeline {
        self.lifeline.clone()
    }

    /// Waits for the next news; there are none after [`News::Ended`].
    pub(crate) fn next(&mut self) -> Result<News, Failure> {
        loop {
            if let Some(news) = self.waiting.pop_front() {
                return Ok(news);
            }
            let (_, item) = self.next_item()?;
            self.take(item);
        }
    }

    /// Waits for the next item, and also returns it as received.
    pub(crate) fn next_item(&mut self) -> Result<(Box<RawValue>, Value), Failure> {
        loop {
            match self.subscription.next() {
                // After a handover the next worker knows the job; two losses in a row are not a handover.
                Err(failure @ Failure::Lost { .. }) if self.has_news => self.reconnect(failure)?,
                json => {
                    let json = json?;
                    let item: Value = self.subscription.parse(&json)?;
                    self.has_news = true;
                    if let Some(last) = item.list("entries").last() {
                        self.params["since"] = (last.number("seq") + 1).into();
                    }
                    return Ok((json, item));
                }
            }
        }
    }

    fn take(&mut self, mut item: Value) {
        let omitted = item.number("omitted_entries");
        if omitted > 0 {
            self.waiting.push_back(News::Omitted(omitted));
        }
        let entries = item.list("entries").iter().cloned();
        self.waiting.extend(entries.map(News::Entry));
        let has_ended = item.has("ended");
        strip(&mut item);
        self.waiting.push_back(if has_ended {
            News::Ended(item)
        } else {
            News::Changed(item)
        });
    }

    fn reconnect(&mut self, failure: Failure) -> Result<(), Failure> {
        if self.lifeline.is_cut() {
            return Err(failure);
        }
        let stream = self.place.try_connect()?.ok_or(failure)?;
        let connection = Connection::over(stream);
        if !self.lifeline.renew(connection.handle()?) {
            return Err(lost(JOB_SUBSCRIBE.name, true));
        }
        self.subscription = Subscription::start(connection, JOB_SUBSCRIBE, &self.params)?;
        self.has_news = false;
        Ok(())
    }
}

/// Removes from an item of the subscription what is not a part of the job's record.
pub(crate) fn strip(item: &mut Value) {
    let members = item.as_object_mut().into_iter();
    members.for_each(|members| {
        for name in ["seq", "entries", "omitted_entries", "ended"] {
            members.shift_remove(name);
        }
    });
}
