//! The calls of tools in a run.

use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Maximum number of calls, and of denied calls, that are kept.
const MAX_CALLS: usize = 10_000;

/// Maximum length of all inputs that are kept, as JSON. Later inputs are null.
const MAX_INPUT_BYTES: usize = 8 * 1024 * 1024;

#[derive(Debug, Clone, PartialEq)]
pub struct StreamCall {
    pub id: String,
    pub name: String,
    pub input: Value,
    /// The call that started the sub-agent which made this one.
    pub parent: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denial {
    /// By a rule, a hook, or because nobody could give permission.
    Permission,
    /// No tool has this name: it never had, or options took it away.
    Unavailable,
}

#[derive(Debug, Clone, PartialEq)]
pub struct DeniedCall {
    pub call: StreamCall,
    pub denial: Denial,
}

/// All calls of a run, each once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StreamCalls {
    pub kept: Vec<StreamCall>,
    pub denied: Vec<DeniedCall>,
    /// Number of all calls.
    pub count: u64,
    places: HashMap<String, usize>,
    /// Places of those whose result is no error.
    successes: HashSet<usize>,
    denied_ids: HashMap<String, usize>,
    input_bytes: usize,
}

impl StreamCalls {
    pub(super) fn add(&mut self, id: &str, name: &str, input: &Value, parent: Option<&str>) {
        if self.places.contains_key(id) {
            return;
        }
        self.count += 1;
        if self.kept.len() >= MAX_CALLS {
            return;
        }
        let input = self.limited(input);
        self.places.insert(id.to_owned(), self.kept.len());
        self.kept.push(StreamCall {
            id: id.to_owned(),
            name: name.to_owned(),
            input,
            parent: parent.map(str::to_owned),
        });
    }

    /// Notes that a call has a result, which is no error.
    pub(super) fn succeed(&mut self, id: &str) {
        self.successes.extend(self.places.get(id));
    }

    /// Returns the calls that have failed or have no result, without those that are known to be denied.
    pub(super) fn unsuccessful(&self) -> impl Iterator<Item = &StreamCall> {
        self.kept
            .iter()
            .enumerate()
            .filter(|(place, call)| {
                !self.successes.contains(place) && !self.denied_ids.contains_key(&call.id)
            })
            .map(|(_, call)| call)
    }

    /// Notes that a call was denied; `name` and `input` count if the call itself was not seen.
    pub(super) fn deny(
        &mut self,
        id: &str,
        name: Option<&str>,
        input: Option<&Value>,
        denial: Denial,
    ) {
        if let Some(place) = self.denied_ids.get(id).copied() {
            if self.denied[place].call.input.is_null() {
                self.denied[place].call.input = self.limited(input.unwrap_or(&Value::Null));
            }
            return;
        }
        if self.denied.len() >= MAX_CALLS {
            return;
        }
        let seen = self.places.get(id).map(|place| self.kept[*place].clone());
        let call = match (seen, name) {
            (Some(call), _) => call,
            (None, Some(name)) => {
                let input = self.limited(input.unwrap_or(&Value::Null));
                StreamCall {
                    id: id.to_owned(),
                    name: name.to_owned(),
                    input,
                    parent: None,
                }
            }
            (None, None) => return,
        };
        self.denied_ids.insert(id.to_owned(), self.denied.len());
        self.denied.push(DeniedCall { call, denial });
    }

    fn limited(&mut self, input: &Value) -> Value {
        let len = input.to_string().len();
        if self.input_bytes + len > MAX_INPUT_BYTES {
            return Value::Null;
        }
        self.input_bytes += len;
        input.clone()
    }
}
