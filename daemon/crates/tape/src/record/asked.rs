//! Recognises prompts for secrets on terminals that never echo, where only the words of the prompt show it.

/// Words in prompts that ask for a secret.
const SECRET_WORDS: [&str; 7] = [
    "password",
    "passphrase",
    "passcode",
    "secret",
    "token",
    "pin",
    "api key",
];

/// Returns whether a prompt asks for a secret.
pub(super) fn asks_for_secret(prompt: &str) -> bool {
    let prompt = prompt.trim_end().to_ascii_lowercase();
    let asks = prompt.ends_with(':') || prompt.ends_with('?');
    asks && SECRET_WORDS.iter().any(|word| prompt.contains(word))
}
