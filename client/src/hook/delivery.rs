//! A payload with its delivery id and time, as it is sent and as it is kept.

use super::payload::Payload;
use ccd_base::clock;
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

/// How much of each end of a payload is hashed.
const END_BYTES: usize = 64 << 10;

/// Events that occur once for a prompt, or whose payload names tool calls, which are unique.
/// All other events may occur twice with equal payloads and the same `prompt_id`: `Stop` and `SubagentStop` when a hook
/// sends the model on, `PermissionRequest` (which has no `tool_use_id`) when the model asks for the same again,
/// `Notification`, and the start and end of a session that is resumed without a prompt.
const ONCE_A_PROMPT: [&str; 2] = [r#""UserPromptSubmit""#, r#""PostToolBatch""#];

impl Delivery {
    pub(super) fn of(payload: Payload, at: SystemTime) -> Self {
        let [high, low] = id(&payload);
        let (name, tail) = match payload {
            Payload::Object { .. } => ("payload\":", "}\n"),
            Payload::Bytes(_) => ("payload_b64\":\"", "\"}\n"),
        };
        let head = format!(
            r#"{{"delivery_id":"{high:016x}{low:016x}","at":"{}","{name}"#,
            clock::at_us(at)
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

/// Returns 128 bits that name the delivery.
/// The same event is called several times if hooks are installed for the user and for the project, or come with a plugin
/// as well. So the id is made of the payload where equal payloads mean the same event: with a `tool_use_id`, and for
/// [`ONCE_A_PROMPT`]. The payload is hashed too, not only these names: one call has a `PreToolUse` and a `PostToolUse`, and two
/// payloads that differ are not one delivery. Everything else is given a random id.
fn id(payload: &Payload) -> [u64; 2] {
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
    let mut hash = Hash::default();
    for part in [session.get(), event.get(), key.get()] {
        hash.add(part.as_bytes());
    }
    hash.add_ends(text.as_bytes());
    hash.lanes
}

/// Returns random bits: the standard library seeds its hashers from the system, each one differently.
fn random() -> [u64; 2] {
    [(); 2].map(|()| RandomState::new().build_hasher().finish())
}

/// Two 64-bit hashes side by side, eight bytes at a time: payloads have megabytes. Each step folds the product of two words
/// into one. It need not resist attacks: who calls the hook can call the daemon.
#[derive(Debug)]
struct Hash {
    lanes: [u64; 2],
}

impl Default for Hash {
    fn default() -> Self {
        // Digits of pi.
        Self {
            lanes: [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344],
        }
    }
}

impl Hash {
    /// Adds bytes and their number, so that moving the border between two parts changes the hash.
    fn add(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.add_word(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.add_word(u64::from_le_bytes(last));
        self.add_word(bytes.len() as u64);
    }

    /// Adds both ends of long bytes, and their number. Payloads of one event that have several megabytes, the same length,
    /// and differ only in the middle do not occur.
    fn add_ends(&mut self, bytes: &[u8]) {
        let end_len = bytes.len().min(END_BYTES);
        self.add(&bytes[..end_len]);
        self.add(&bytes[bytes.len() - end_len..]);
        self.add_word(bytes.len() as u64);
    }

    fn add_word(&mut self, word: u64) {
        // Odd numbers without a pattern: more digits of pi.
        const FACTORS: [u64; 2] = [0xa409_3822_299f_31d1, 0x082e_fa98_ec4e_6c89];
        for (lane, factor) in self.lanes.iter_mut().zip(FACTORS) {
            let product = u128::from(*lane ^ word) * u128::from(factor);
            *lane = (product as u64 ^ (product >> 64) as u64).rotate_left(23);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccd_protocol::hook::HookPostParams;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn delivery(payload: &str) -> Delivery {
        Delivery::of(Payload::of(payload.into()).unwrap(), SystemTime::UNIX_EPOCH)
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

    proptest! {
        #[test]
        fn each_bit_and_each_border_counts(bytes in prop::collection::vec(any::<u8>(), 1..40), bit: usize, border: usize) {
            let hash = |parts: &[&[u8]]| {
                let mut hash = Hash::default();
                parts.iter().for_each(|part| hash.add(part));
                hash.lanes
            };
            let mut other = bytes.clone();
            other[bit / 8 % bytes.len()] ^= 1 << (bit % 8);
            let (one, two) = (hash(&[&bytes]), hash(&[&other]));
            prop_assert!(one[0] != two[0] && one[1] != two[1]);
            let (left, right) = bytes.split_at(border % bytes.len());
            prop_assert!(hash(&[left, right]) != one);
        }
    }
}
