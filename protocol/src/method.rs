//! Methods: a type for each binds name, parameters and reply.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A JSON-RPC method. Handler, client, tests and documentation share it, so they cannot disagree.
pub trait Method {
    /// The name on the wire, `noun.verb`.
    const NAME: &'static str;
    /// One sentence for the documentation.
    const SUMMARY: &'static str;
    /// Parameters, by name.
    type Params: Serialize + DeserializeOwned + Send + 'static;
    /// The reply's `result`.
    type Reply: Serialize + DeserializeOwned + Clone + Send + 'static;
}

/// How large the reply of a method can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplySize {
    Small,
    /// It can take megabytes while it is made.
    Large,
    /// Large, and made at once: of each connection, one at a time.
    Bulk,
}

/// A method for the documentation and for the transport.
#[derive(Debug, Clone, Copy)]
pub struct MethodInfo {
    pub name: &'static str,
    pub summary: &'static str,
    pub reply_size: ReplySize,
    /// JSON Schemas of parameters and reply.
    #[cfg(test)]
    pub schemas: fn(&mut schemars::SchemaGenerator) -> (schemars::Schema, schemars::Schema),
    /// Reads parameters and a reply, and returns them as they are written.
    #[cfg(test)]
    pub(crate) rewritten: fn([serde_json::Value; 2]) -> serde_json::Result<[serde_json::Value; 2]>,
}

/// Parameters of a method that takes none.
#[derive(Debug, Clone, Default, Serialize, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NoParams {}

/// Reply of a method that returns nothing.
#[derive(Debug, Clone, Default, Serialize, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Done {}

/// Reply of a method that starts a job.
#[derive(Debug, Clone, Default, Serialize, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct JobStarted {
    /// The id of the job.
    pub job: String,
}

macro_rules! methods {
    (@size) => {
        $crate::method::ReplySize::Small
    };
    (@size $size:ident) => {
        $crate::method::ReplySize::$size
    };
    ($($marker:ident = $name:literal ($params:ty) -> $reply:ty, $summary:literal $(, $size:ident)?;)*) => {
        $(
            #[doc = $summary]
            #[derive(Debug, Clone, Copy)]
            pub struct $marker;
            impl $crate::method::Method for $marker {
                const NAME: &'static str = $name;
                const SUMMARY: &'static str = $summary;
                type Params = $params;
                type Reply = $reply;
            }
        )*
        /// The methods of this noun, in the order of the documentation.
        pub const METHODS: &[$crate::method::MethodInfo] = &[
            $($crate::method::MethodInfo {
                name: $name,
                summary: $summary,
                reply_size: $crate::method::methods!(@size $($size)?),
                #[cfg(test)]
                schemas: |generator| (
                    generator.subschema_for::<$params>(),
                    generator.subschema_for::<$reply>(),
                ),
                #[cfg(test)]
                rewritten: |[params, reply]| {
                    let params: $params = serde_json::from_value(params)?;
                    let reply: $reply = serde_json::from_value(reply)?;
                    Ok([serde_json::to_value(params)?, serde_json::to_value(reply)?])
                },
            },)*
        ];
    };
}
pub(crate) use methods;
