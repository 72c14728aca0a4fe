//! What is asked for where the terminal never echoes: its words alone tell a secret.

/// In the prompts of those who ask for a secret.
const SECRET_WORDS: [&str; 7] = [
    "password",
    "passphrase",
    "passcode",
    "secret",
    "token",
    "pin",
    "api key",
];

/// Whether a prompt asks for something that nobody should see.
pub(super) fn asks_for_secret(prompt: &str) -> bool {
    let prompt = prompt.trim_end().to_ascii_lowercase();
    let asks = prompt.ends_with(':') || prompt.ends_with('?');
    asks && SECRET_WORDS.iter().any(|word| prompt.contains(word))
}
