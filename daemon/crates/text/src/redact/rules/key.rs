/// What a name says about the value behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::redact) struct SecretKey {
    pub(in crate::redact) kind: KeyKind,
    /// `db_password` rather than `password`: no word of a sentence.
    pub(in crate::redact) compound: bool,
    /// The same name is in use for paths: `PWD`, `GOOGLE_APPLICATION_CREDENTIALS`.
    pub(in crate::redact) may_be_path: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::redact) enum KeyKind {
    /// Chosen by people: may be a word or a number.
    Password,
    /// Made by machines, as a token or a key is.
    Generated,
    /// The header, whose value begins with a scheme.
    Authorization,
}

/// Literals, one of which every secret name has.
pub(in crate::redact) const ANCHORS: &[&str] = &[
    "passw",
    "passphrase",
    "passcode",
    "_pass",
    "-pass",
    "pwd",
    "secret",
    "token",
    "credential",
    "authorization",
    "api_key",
    "api-key",
    "api key",
    "apikey",
    "access_key",
    "access-key",
    "access key",
    "accesskey",
    "private_key",
    "private-key",
    "private key",
    "privatekey",
    "account_key",
    "account-key",
    "accountkey",
    "auth_key",
    "auth-key",
    "authkey",
    "signing_key",
    "signing-key",
    "signingkey",
    "encryption_key",
    "encryption-key",
    "encryptionkey",
    "master_key",
    "master-key",
    "masterkey",
];

const PASSWORDS: &[&str] = &["password", "passwd", "passphrase", "passcode", "pwd"];

const GENERATED: &[&str] = &[
    "secret",
    "secretkeybase",
    "token",
    "credential",
    "credentials",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "accountkey",
    "authkey",
    "signingkey",
    "encryptionkey",
    "masterkey",
];

const PATHS: &[&str] = &["pwd", "credential", "credentials", "privatekey"];

/// What stands before `_pass` where that is no pass through data.
const OWNERS_OF_PASS: &[&str] = &[
    "db", "database", "sql", "pg", "postgres", "redis", "mongo", "ldap", "user", "admin", "root",
    "login", "smtp", "imap", "mail", "email", "ftp", "ssh", "http", "proxy", "api", "auth",
];

/// Returns what `name` says, or `None` when it names no secret: `token_count`, `secretary`, `max_tokens`.
///
/// A secret's name ends with a word for a secret, with digits behind it at most (`PASSWORD_2`).
pub(in crate::redact) fn secret_key(name: &str) -> Option<SecretKey> {
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '_' | '-' | '.'));
    let plain = normalized(name);
    let ends_with = |words: &[&str]| words.iter().any(|word| plain.ends_with(word));
    let is = |words: &[&str]| words.contains(&plain.as_str());
    let (kind, words) = if plain.ends_with("authorization") {
        (KeyKind::Authorization, &["authorization"][..])
    } else if ends_with(PASSWORDS) || is_owned_pass(name, &plain) {
        (KeyKind::Password, PASSWORDS)
    } else if ends_with(GENERATED) {
        (KeyKind::Generated, GENERATED)
    } else {
        return None;
    };
    Some(SecretKey {
        kind,
        compound: !is(words),
        may_be_path: ends_with(PATHS),
    })
}

/// Returns `name` in lower case without separators, so that `api_key`, `x-api-key` and `apiKey` end alike.
pub(in crate::redact) fn normalized(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, '_' | '-' | '.' | ' '))
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

fn is_owned_pass(name: &str, plain: &str) -> bool {
    let separated = name.len() > 5 && matches!(name.as_bytes()[name.len() - 5], b'_' | b'-');
    match plain.strip_suffix("pass") {
        Some(owner) if separated => OWNERS_OF_PASS.iter().any(|word| owner.ends_with(word)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known_in_every_spelling() {
        for (name, kind) in [
            ("password", KeyKind::Password),
            ("PGPASSWORD", KeyKind::Password),
            ("DB_PASS", KeyKind::Password),
            ("mysql_pwd", KeyKind::Password),
            ("PASSWORD_2", KeyKind::Password),
            ("--token", KeyKind::Generated),
            ("aws_secret_access_key", KeyKind::Generated),
            ("clientSecret", KeyKind::Generated),
            ("x-api-key", KeyKind::Generated),
            ("AccountKey", KeyKind::Generated),
            ("Proxy-Authorization", KeyKind::Authorization),
        ] {
            assert_eq!(secret_key(name).map(|key| key.kind), Some(kind), "{name}");
        }
    }

    #[test]
    fn other_names_are_left_alone() {
        for name in [
            "secretary",
            "tokens",
            "max_tokens",
            "token_count",
            "tokenizer",
            "password_field",
            "token_type",
            "first_pass",
            "bypass",
            "passes",
            "passwordless",
            "PASSWORD_FILE",
            "secrets",
            "_pass",
            "pass",
        ] {
            assert_eq!(secret_key(name), None, "{name}");
        }
    }

    #[test]
    fn every_secret_word_has_an_anchor() {
        for word in PASSWORDS.iter().chain(GENERATED) {
            assert!(ANCHORS.iter().any(|anchor| word.contains(anchor)), "{word}");
        }
    }

    #[test]
    fn a_compound_name_is_no_word_of_a_sentence() {
        assert!(!secret_key("password").unwrap().compound);
        assert!(!secret_key("apiKey").unwrap().compound);
        assert!(secret_key("db_password").unwrap().compound);
    }
}
