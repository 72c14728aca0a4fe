//! One payload of a hook, as a client has posted it.

use ccd_protocol::{ErrorCode, Reportable};

#[derive(Debug, Clone, PartialEq)]
pub struct Delivery {
    /// 32 hexadecimal digits: the same for the same payload, however often and in which way it arrives.
    pub id: String,
    /// When the hook ran, RFC 3339.
    pub at: String,
    /// JSON, as far as it was checked: an object.
    pub payload: Vec<u8>,
    /// Milliseconds from the start of the hook until the daemon took it; `None` from the spool.
    pub took_ms: Option<f64>,
}

#[derive(Debug, thiserror::Error)]
pub enum DeliveryError {
    #[error("delivery_id: must be 32 hexadecimal digits")]
    Id,
    #[error("at: {0:?} is not a time (RFC 3339)")]
    Time(String),
    #[error("the payload of the hook is not a JSON object")]
    Payload,
}

impl Reportable for DeliveryError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Id | Self::Time(_) => ErrorCode::InvalidArgument,
            Self::Payload => ErrorCode::HookPayloadInvalid,
        }
    }
}

impl Delivery {
    /// Checks a payload as far as this costs little: the rest is found out when it is processed.
    pub fn new(id: String, at: String, payload: Vec<u8>) -> Result<Self, DeliveryError> {
        if id.len() != 32 || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(DeliveryError::Id);
        }
        if ccd_base::clock::age_s(&at).is_none() {
            return Err(DeliveryError::Time(at));
        }
        if payload.trim_ascii_start().first() != Some(&b'{') {
            return Err(DeliveryError::Payload);
        }
        Ok(Self {
            id: id.to_ascii_lowercase(),
            at,
            payload,
            took_ms: None,
        })
    }

    pub(super) fn to_record(&self) -> Vec<u8> {
        let took_ms = self.took_ms.unwrap_or(-1.0);
        let mut record = Vec::with_capacity(self.payload.len() + 96);
        record.extend_from_slice(format!("{} {took_ms} {}\n", self.id, self.at).as_bytes());
        record.extend_from_slice(&self.payload);
        record
    }

    /// Returns the delivery in a record; `None` if it is not one.
    pub(super) fn from_record(record: &[u8]) -> Option<Self> {
        let end = record.iter().position(|byte| *byte == b'\n')?;
        let mut head = std::str::from_utf8(&record[..end]).ok()?.splitn(3, ' ');
        Some(Self {
            id: head.next()?.to_owned(),
            took_ms: Some(head.next()?.parse().ok()?).filter(|ms| *ms >= 0.0),
            at: head.next()?.to_owned(),
            payload: record[end + 1..].to_vec(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_delivery_is_refused() {
        let id = "0123456789abcdef0123456789ABCDEF";
        let at = "2026-01-02T03:04:05.678Z";
        let new =
            |id: &str, at: &str, payload: &str| Delivery::new(id.into(), at.into(), payload.into());
        let delivery = new(id, at, " {\"a\": \"\\n\"}\n").unwrap();
        assert_eq!(Delivery::from_record(&delivery.to_record()), Some(delivery));
        assert!(matches!(new("12", at, "{}"), Err(DeliveryError::Id)));
        assert!(matches!(new(id, "now", "{}"), Err(DeliveryError::Time(_))));
        for payload in ["", "[]", "1", "\u{feff}{}"] {
            assert!(matches!(new(id, at, payload), Err(DeliveryError::Payload)));
        }
        assert_eq!(Delivery::from_record(b"no line"), None);
    }
}
