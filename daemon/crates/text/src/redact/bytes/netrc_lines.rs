//! A `.netrc` that is typed line by line: the line with the password does not show that it is a secret.

use crate::redact::rules::{is_placeholder, netrc::KEYS};
use serde::{Deserialize, Serialize};

const PASSWORD: &str = "password";

/// Follows typed lines from the name of a machine to the password.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct NetrcLines(NetrcState);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
enum NetrcState {
    #[default]
    Outside,
    Machine,
    Key,
    Value,
    Password,
}

impl NetrcLines {
    /// Takes a whole input; returns the passwords of an entry that started in an earlier input.
    /// If the entry starts in this input, a rule recognises its password.
    pub(super) fn take(&mut self, lines: &[String]) -> Vec<String> {
        let mut found = Vec::new();
        let mut is_own = false;
        for line in lines.iter().filter(|line| !line.starts_with('#')) {
            for (index, word) in line.split_whitespace().enumerate() {
                let name = word.to_ascii_lowercase();
                let begins = match name.as_str() {
                    "machine" => Some(NetrcState::Machine),
                    "default" => Some(NetrcState::Key),
                    _ => None,
                };
                let begins = begins.filter(|_| index == 0 && self.0 != NetrcState::Password);
                is_own |= begins.is_some();
                self.0 = match (self.0, begins) {
                    (_, Some(begins)) => begins,
                    (NetrcState::Outside, None) => NetrcState::Outside,
                    (NetrcState::Key, None) if name == PASSWORD => NetrcState::Password,
                    (NetrcState::Key, None) if KEYS.contains(&name.as_str()) => NetrcState::Value,
                    (NetrcState::Key, None) => NetrcState::Outside,
                    (NetrcState::Password, None) => {
                        if !is_own && !is_placeholder(word.as_bytes()) {
                            found.push(word.to_owned());
                        }
                        NetrcState::Key
                    }
                    (NetrcState::Machine | NetrcState::Value, None) => NetrcState::Key,
                };
                if self.0 == NetrcState::Outside {
                    break;
                }
            }
        }
        found
    }
}
