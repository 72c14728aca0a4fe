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

/// Declares subscriptions: the names of the two methods and of the notifications, and the types of parameters and items.
macro_rules! subscriptions {
    ($($subscription:ident = $name:literal, $unsubscribe:literal, $notification:literal ($params:ty) -> $item:ty, $summary:literal;)*) => {
        $(
            #[doc = $summary]
            pub const $subscription: SubscriptionInfo = SubscriptionInfo {
                name: $name,
                unsubscribe: $unsubscribe,
                notification: $notification,
                summary: $summary,
                #[cfg(test)]
                schemas: |generator| (
                    generator.subschema_for::<$params>(),
                    generator.subschema_for::<$item>(),
                ),
            };
        )*
        /// All subscriptions, in the order of the documentation.
        pub const SUBSCRIPTIONS: &[SubscriptionInfo] = &[$($subscription),*];
    };
}

subscriptions! {
    SESSION_SUBSCRIBE = "session.subscribe", "session.unsubscribe", "session.output" (crate::session::SessionSubscribeParams) -> crate::session::OutputItem, "Sends output as it arrives, with offsets; the last item says how the session ended.";
    SESSION_ATTACH = "session.attach", "session.detach", "session.output" (crate::session::SessionAttachParams) -> crate::session::OutputItem, "Attaches the caller's terminal to a session: a repaint, then output without queries as it arrives. Type with `session.send` on the same connection.";
    JOB_SUBSCRIBE = "job.subscribe", "job.unsubscribe", "job.changed" (crate::job::JobSubscribeParams) -> crate::job::JobItem, "Sends a job's record each time it changes, with new entries of its list; the last item has `ended: true`.";
    AGENT_SUBSCRIBE = "agent.subscribe", "agent.unsubscribe", "agent.changed" (crate::agent::AgentSubscribeParams) -> crate::agent::AgentItem, "Sends all agents, then those that change.";
    CONVERSATION_SUBSCRIBE = "conversation.subscribe", "conversation.unsubscribe", "conversation.item" (crate::conversation::ConversationSubscribeParams) -> crate::conversation::ConversationItem, "Sends new records, turns, tool calls with their results, and tokens of one or more conversations, as they are written. A slow client delays only itself.";
}
