//! Subscriptions: a method that replies with an id and then sends notifications.

/// A subscription for the documentation.
#[derive(Debug, Clone, Copy)]
pub struct SubscriptionInfo {
    /// Method that starts the subscription; it replies with the subscription's id.
    pub name: &'static str,
    /// Method that ends the subscription, with the id as its only positional parameter.
    pub unsubscribe: &'static str,
    /// Method name of the notifications.
    pub notification: &'static str,
    pub summary: &'static str,
    /// JSON Schemas of parameters and item.
    #[cfg(test)]
    pub schemas: fn(&mut schemars::SchemaGenerator) -> (schemars::Schema, schemars::Schema),
}

/// Live output of a session.
pub const SESSION_SUBSCRIBE: SubscriptionInfo = SubscriptionInfo {
    name: "session.subscribe",
    unsubscribe: "session.unsubscribe",
    notification: "session.output",
    summary: "Sends output as it arrives, with offsets; the last item says how the session ended.",
    #[cfg(test)]
    schemas: |generator| {
        (
            generator.subschema_for::<crate::session::SessionSubscribeParams>(),
            generator.subschema_for::<crate::session::OutputItem>(),
        )
    },
};

/// Attaches a person's terminal to a session.
pub const SESSION_ATTACH: SubscriptionInfo = SubscriptionInfo {
    name: "session.attach",
    unsubscribe: "session.detach",
    notification: "session.output",
    summary: "Attaches the caller's terminal to a session: a repaint, then output without queries as it arrives. Type with `session.send` on the same connection.",
    #[cfg(test)]
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
    summary: "Sends a job's record each time it changes, with new entries of its list; the last item has `ended: true`.",
    #[cfg(test)]
    schemas: |generator| {
        (
            generator.subschema_for::<crate::job::JobSubscribeParams>(),
            generator.subschema_for::<crate::job::JobItem>(),
        )
    },
};

/// What is added to conversations.
pub const CONVERSATION_SUBSCRIBE: SubscriptionInfo = SubscriptionInfo {
    name: "conversation.subscribe",
    unsubscribe: "conversation.unsubscribe",
    notification: "conversation.item",
    summary: "Sends new records, turns, tool calls with their results, and tokens of one or more conversations, as they are written. A slow client delays only itself.",
    #[cfg(test)]
    schemas: |generator| {
        (
            generator.subschema_for::<crate::conversation::ConversationSubscribeParams>(),
            generator.subschema_for::<crate::conversation::ConversationItem>(),
        )
    },
};

/// All subscriptions, in the order of the documentation.
pub const SUBSCRIPTIONS: &[SubscriptionInfo] = &[
    SESSION_SUBSCRIBE,
    SESSION_ATTACH,
    JOB_SUBSCRIBE,
    CONVERSATION_SUBSCRIBE,
];
