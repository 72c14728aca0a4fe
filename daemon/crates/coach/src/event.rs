//! Events as the aggregation reads them.

use crate::signal::SignalType;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Event {
    pub(crate) id: String,
    /// RFC 3339, UTC.
    pub(crate) timestamp: String,
    pub(crate) signal_type: SignalType,
    /// The seed's id of the repository.
    pub(crate) repo_id: String,
    /// What repositories are counted by: equal for two clones of one, whatever their address. `repo_id` when it is empty.
    #[serde(default)]
    pub(crate) repo_key: String,
    #[serde(default)]
    pub(crate) session_id: String,
    #[serde(default)]
    pub(crate) content: String,
    pub(crate) context: Map<String, Value>,
}

ccd_store::row! {
    /// A command that succeeded after a command of the same base had failed in the same session.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Success {
        pub(crate) timestamp: String,
        #[serde(default)]
        pub(crate) session_id: String,
        #[serde(default)]
        pub(crate) repo_id: String,
        pub(crate) command: String,
    }
}
