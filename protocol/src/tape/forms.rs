//! Options with more than one form. They are parsed by hand, because the derived errors use Rust's terms.

use super::options::{IgnoredArg, Latency, LatencyName};
use serde::de::{Error, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

impl<'de> Deserialize<'de> for Latency {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LatencyVisitor)
    }
}

struct LatencyVisitor;

impl<'de> Visitor<'de> for LatencyVisitor {
    type Value = Latency;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(
            r#"milliseconds such as 20 (0 is none), a range of them such as [5, 50], or "recorded""#,
        )
    }

    fn visit_u64<E: Error>(self, ms: u64) -> Result<Latency, E> {
        Ok(Latency::Constant(ms))
    }

    fn visit_i64<E: Error>(self, ms: i64) -> Result<Latency, E> {
        let whole = u64::try_from(ms).map(Latency::Constant);
        whole.map_err(|_| E::invalid_value(Unexpected::Signed(ms), &self))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Latency, E> {
        if text.eq_ignore_ascii_case("recorded") {
            Ok(Latency::Named(LatencyName::Recorded))
        } else {
            Err(E::invalid_value(Unexpected::Str(text), &self))
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Latency, A::Error> {
        let wrong = |len: usize| A::Error::invalid_length(len, &LatencyVisitor);
        let least = list.next_element()?.ok_or_else(|| wrong(0))?;
        let most = list.next_element()?.ok_or_else(|| wrong(1))?;
        match list.next_element::<serde::de::IgnoredAny>()? {
            None => Ok(Latency::Range([least, most])),
            Some(_) => Err(wrong(3)),
        }
    }
}

impl<'de> Deserialize<'de> for IgnoredArg {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IgnoredArgVisitor)
    }
}

struct IgnoredArgVisitor;

impl Visitor<'_> for IgnoredArgVisitor {
    type Value = IgnoredArg;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(r#"an index (0 is the first argument), an exact text, or "/regex/""#)
    }

    fn visit_u64<E: Error>(self, index: u64) -> Result<IgnoredArg, E> {
        Ok(IgnoredArg::Index(index))
    }

    fn visit_i64<E: Error>(self, index: i64) -> Result<IgnoredArg, E> {
        let whole = u64::try_from(index).map(IgnoredArg::Index);
        whole.map_err(|_| E::invalid_value(Unexpected::Signed(index), &self))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<IgnoredArg, E> {
        Ok(IgnoredArg::Text(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, from_value, json};

    #[test]
    fn what_is_written_is_read() {
        for latency in [
            Latency::Constant(0),
            Latency::Range([5, 50]),
            Latency::Named(LatencyName::Recorded),
        ] {
            let written = serde_json::to_value(&latency).unwrap();
            assert_eq!(from_value::<Latency>(written).unwrap(), latency);
        }
        for arg in [IgnoredArg::Index(2), IgnoredArg::Text("/x/".to_owned())] {
            let written = serde_json::to_value(&arg).unwrap();
            assert_eq!(from_value::<IgnoredArg>(written).unwrap(), arg);
        }
    }

    #[test]
    fn a_mistake_has_the_value_and_what_is_allowed() {
        let mistake = |value: Value| from_value::<Latency>(value).unwrap_err().to_string();
        for (value, told) in [
            (json!("slow"), r#"string "slow""#),
            (json!(-1), "integer `-1`"),
            (json!(1.5), "floating point `1.5`"),
            (json!([1]), "length 1"),
            (json!([1, 2, 3]), "length 3"),
            (json!({"ms": 1}), "map"),
        ] {
            let mistake = mistake(value);
            let is_told = mistake.contains(told) && mistake.contains("such as [5, 50]");
            assert!(is_told, "{mistake}");
        }
        let mistake = |value: Value| from_value::<IgnoredArg>(value).unwrap_err().to_string();
        for (value, told) in [
            (json!(-1), "integer `-1`"),
            (json!(true), "boolean `true`"),
            (json!([]), "sequence"),
        ] {
            let mistake = mistake(value);
            let is_told = mistake.contains(told) && mistake.contains("/regex/");
            assert!(is_told, "{mistake}");
        }
    }
}
