//! Serialises a prompt for the next worker, as the text that it shows.

use crate::key::PromptTracker;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(super) fn serialize<S: Serializer>(
    prompt: &PromptTracker,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    prompt.prompt().serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<PromptTracker, D::Error> {
    let text = String::deserialize(deserializer)?;
    let mut prompt = PromptTracker::default();
    prompt.feed(text.as_bytes());
    Ok(prompt)
}
