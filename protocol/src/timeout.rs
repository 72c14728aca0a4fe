//! A timeout that distinguishes "the default" from "no limit".

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A timeout in milliseconds: absent is the default, `null` waits without limit, 0 checks once.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Timeout {
    /// Not given: the session's or the method's default applies.
    #[default]
    Default,
    /// `null`: wait without limit.
    Forever,
    /// Milliseconds, fractions allowed.
    After(f64),
}

impl Serialize for Timeout {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Timeout::After(ms) => serializer.serialize_f64(*ms),
            Timeout::Default | Timeout::Forever => serializer.serialize_none(),
        }
    }
}

impl<'de> Deserialize<'de> for Timeout {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::<f64>::deserialize(deserializer)?.map_or(Timeout::Forever, Timeout::After))
    }
}

#[cfg(test)]
impl schemars::JsonSchema for Timeout {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Timeout".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "Milliseconds, fractions allowed. Absent: the default. null: no limit. 0: check once without waiting.",
            "type": ["number", "null"]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Holder {
        #[serde(default, skip_serializing_if = "crate::is_default")]
        timeout_ms: Timeout,
    }

    #[test]
    fn absent_null_and_number_are_three_things() {
        for (json, timeout) in [
            ("{}", Timeout::Default),
            (r#"{"timeout_ms":null}"#, Timeout::Forever),
            (r#"{"timeout_ms":0.5}"#, Timeout::After(0.5)),
        ] {
            let holder: Holder = serde_json::from_str(json).unwrap();
            assert_eq!(holder.timeout_ms, timeout);
            assert_eq!(serde_json::to_string(&holder).unwrap(), json);
        }
    }
}
