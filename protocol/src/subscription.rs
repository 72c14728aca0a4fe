//! Subscriptions: a method that answers with an id and then sends notifications.

/// What the documents say of one subscription.
#[derive(Debug, Clone, Copy)]
pub struct SubscriptionInfo {
    /// Method that starts it; its reply is the subscription's id.
    pub name: &'static str,
    /// Method that ends it, with the id as its only positional parameter.
    pub unsubscribe: &'static str,
    /// Method name of the notifications.
    pub notification: &'static str,
    pub summary: &'static str,
    /// JSON Schemas of parameters and item.
    #[cfg(feature = "schema")]
    pub schemas: fn(&mut schemars::SchemaGenerator) -> (schemars::Schema, schemars::Schema),
}

/// Live output of a session.
pub const SESSION_SUBSCRIBE: SubscriptionInfo = SubscriptionInfo {
    name: "session.subscribe",
    unsubscribe: "session.unsubscribe",
    notification: "session.output",
    summary: "Sends output as it comes, with offsets; the last item says how the session ended.",
    #[cfg(feature = "schema")]
    schemas: |generator| {
        (
            generator.subschema_for::<crate::session::SessionSubscribeParams>(),
            generator.subschema_for::<crate::session::OutputItem>(),
        )
    },
};

/// A person's terminal becomes a session's.
pub const SESSION_ATTACH: SubscriptionInfo = SubscriptionInfo {
    name: "session.attach",
    unsubscribe: "session.detach",
    notification: "session.output",
    summary: "Makes the caller's terminal the session's: a repaint, then output without queries as it comes. Type by `session.send` on the same connection.",
    #[cfg(feature = "schema")]
    schemas: |generator| {
        (
            generator.subschema_for::<crate::session::SessionAttachParams>(),
            generator.subschema_for::<crate::session::OutputItem>(),
        )
    },
};

/// Progress of a job.
pub const JOB_SUBSCRIBE: SubscriptionInfo = SubscriptionInfo {
    name: "job.subscribe",
    unsubscribe: "job.unsubscribe",
    notification: "job.changed",
    summary: "Sends a job's record whenever it changes, with the entries of its list, each once; the last item has `ended: true`.",
    #[cfg(feature = "schema")]
    schemas: |generator| {
        (
            generator.subschema_for::<crate::job::JobSubscribeParams>(),
            generator.subschema_for::<crate::job::JobItem>(),
        )
    },
};

/// All subscriptions, in the order of the documents.
pub const SUBSCRIPTIONS: &[SubscriptionInfo] = &[SESSION_SUBSCRIBE, SESSION_ATTACH, JOB_SUBSCRIBE];
