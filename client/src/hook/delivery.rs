//! A payload with its delivery id and time, as it is sent and as it is kept.

use super::payload::Payload;
use ccd_base::clock;
use ccd_protocol::SessionId;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::SystemTime;

#[derive(Debug)]
pub(super) struct Delivery {
    pub(super) at: SystemTime,
    /// The parameters of `hook.post` up to the payload.
    head: String,
    payload: Payload,
    /// The rest of the parameters, and a newline.
    tail: &'static str,
}

/// How much of each end of a payload is hashed, besides its length. Two longer payloads of one event with equal ends and equal
/// length count as one delivery.
const END_BYTES: usize = 8 << 10;

/// Events that occur once for a prompt, or whose payload names tool calls, which are unique.
/// All other events may occur twice with equal payloads and the same `prompt_id`: `Stop` and `SubagentStop` when a hook
/// sends the model on, `PermissionRequest` (which has no `tool_use_id`) when the model asks for the same again,
/// `Notification`, and the start and end of a session that is resumed without a prompt.
const ONCE_A_PROMPT: [&str; 2] = [r#""UserPromptSubmit""#, r#""PostToolBatch""#];

impl Delivery {
    /// `session` is the one that the hook runs in.
    pub(super) fn of(payload: Payload, at: SystemTime, session: Option<&str>) -> Self {
        let id = id(&payload);
        let (name, tail) = match payload {
            Payload::Object { .. } => ("payload\":", "}\n"),
            Payload::Bytes(_) => ("payload_b64\":\"", "\"}\n"),
        };
        let session = session.filter(|id| SessionId::parse(id).is_ok());
        let session = session.map(|id| format!(r#""session":"{id}","#));
        let head = format!(
            r#"{{"delivery_id":"{id:032x}","at":"{}",{}"{name}"#,
            clock::at_us(at),
            session.unwrap_or_default()
        );
        Self {
            at,
            head,
            payload,
            tail,
        }
    }

    pub(super) fn payload(&self) -> &Payload {
        &self.payload
    }

    pub(super) fn parts(&self) -> [&str; 3] {
        [&self.head, self.payload.text(), self.tail]
    }
}

/// Returns a number that names the delivery.
/// The same event is called several times if hooks are installed for the user and for the project, or come with a plugin
/// as well. So the id is made of the payload where equal payloads mean the same event: with a `tool_use_id`, and for
/// [`ONCE_A_PROMPT`]. The payload is hashed too, not only these names: one call has a `PreToolUse` and a `PostToolUse`, and two
/// payloads that differ are not one delivery. Everything else is given a random id.
fn id(payload: &Payload) -> u128 {
    let Payload::Object { text, names } = payload else {
        return random();
    };
    let (Some(session), Some(event)) = (&names.session_id, &names.hook_event_name) else {
        return random();
    };
    let once_a_prompt = ONCE_A_PROMPT.contains(&event.get());
    let of_prompt = names.prompt_id.as_ref().filter(|_| once_a_prompt);
    let Some(key) = names.tool_use_id.as_ref().or(of_prompt) else {
        return random();
    };
    let (text, end) = (text.as_bytes(), END_BYTES.min(text.len()));
    let len = text.len().to_le_bytes();
    let ends = [&text[..end], &text[(text.len() - end).max(end)..]];
    let parts = [session.get(), event.get(), key.get()].map(str::as_bytes);
    // Each name is a complete JSON string, so parts cannot run together.
    fnv(parts.iter().chain(&ends).copied().chain([&len[..]]))
}

/// Returns random bits: the standard library seeds its hashers from the system, each one differently.
fn random() -> u128 {
    let half = || u128::from(RandomState::new().build_hasher().finish());
    half() << 64 | half()
}

/// FNV-1a of 128 bits. It need not resist attacks: who calls the hook can call the daemon.
fn fnv<'a>(parts: impl Iterator<Item = &'a [u8]>) -> u128 {
    const START: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0100_0000_0000_0000_0000_013b;
    parts.flatten().fold(START, |hash, byte| {
        (hash ^ u128::from(*byte)).wrapping_mul(PRIME)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccd_protocol::hook::HookPostParams;
    use std::collections::HashSet;

    fn delivery(payload: &str) -> Delivery {
        Delivery::of(
            Payload::of(payload.into()).unwrap(),
            SystemTime::UNIX_EPOCH,
            None,
        )
    }

    fn params(payload: &str) -> HookPostParams {
        serde_json::from_str(&delivery(payload).parts().concat()).unwrap()
    }

    fn is_stable(payload: &str) -> bool {
        params(payload).delivery_id == params(payload).delivery_id
    }

    #[test]
    fn a_delivery_is_the_parameters_of_the_method() {
        let object = params(r#"{"a": 1}"#);
        assert_eq!(object.payload.unwrap().get(), r#"{"a": 1}"#);
        assert_eq!(object.at, "1970-01-01T00:00:00.000000Z");
        assert_eq!(object.delivery_id.len(), 32);
        assert_eq!(object.session, None);
        let payload = || Payload::of("{}".into()).unwrap();
        for (session, taken) in [("work-1.a", Some("work-1.a")), ("a\"b", None)] {
            let delivery = Delivery::of(payload(), SystemTime::UNIX_EPOCH, Some(session));
            let params: HookPostParams = serde_json::from_str(&delivery.parts().concat()).unwrap();
            assert_eq!(params.session.as_deref(), taken);
        }
        let bytes = params("{");
        assert!(bytes.payload.is_none());
        assert_eq!(bytes.payload_b64.unwrap(), "ew==");
    }

    #[test]
    fn equal_payloads_are_one_delivery_where_they_mean_one_event() {
        let of = |event: &str, key: &str| {
            format!(r#"{{"session_id":"s","hook_event_name":"{event}","{key}":"k"}}"#)
        };
        for event in "PreToolUse PostToolUse PostToolUseFailure PermissionDenied".split(' ') {
            assert!(is_stable(&of(event, "tool_use_id")), "{event}");
        }
        for (event, once) in [
            ("UserPromptSubmit", true),
            ("PostToolBatch", true),
            ("Stop", false),
            ("PermissionRequest", false),
            ("Notification", false),
            ("SessionEnd", false),
        ] {
            assert_eq!(is_stable(&of(event, "prompt_id")), once, "{event}");
            assert!(!is_stable(&of(event, "other")), "{event}");
        }
        assert!(!is_stable(
            r#"{"tool_use_id":"t","hook_event_name":"PreToolUse"}"#
        ));
        assert!(!is_stable("not JSON"));
    }

    #[test]
    fn payloads_that_differ_are_different_deliveries() {
        let mut ids = HashSet::new();
        for number in 0..2000 {
            let (session, call) = (number % 2, number / 4);
            let event = ["PreToolUse", "PostToolUse"][number / 2 % 2];
            let payload = format!(
                r#"{{"session_id":"s{session}","hook_event_name":"{event}","tool_use_id":"t{call}"}}"#
            );
            assert!(ids.insert(params(&payload).delivery_id));
        }
    }

    #[test]
    fn long_payloads_differ_by_their_ends_and_their_length() {
        let id = |first: &str, len: usize, last: &str| {
            let names = r#""session_id":"s","hook_event_name":"PreToolUse","tool_use_id":"t""#;
            let middle = "x".repeat(len);
            params(&format!("{{{names},\"a\":\"{first}{middle}{last}\"}}")).delivery_id
        };
        let long = 3 * END_BYTES;
        let [a, b] = ["a", "b"].map(|first| id(first, long, "a"));
        let others = [id("a", long, "b"), id("a", long + 1, "a"), a, b];
        assert_eq!(HashSet::from(others).len(), 4);
        assert_eq!(id("a", long, "a"), id("a", long, "a"));
    }

    #[test]
    fn the_hash_is_the_well_known_one() {
        assert_eq!(
            fnv([&b"foo"[..], b"bar"].into_iter()),
            0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18
        );
    }
}
