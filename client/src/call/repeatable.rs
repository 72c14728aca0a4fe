//! Which methods may be called again after the loss of a reply.

/// Methods that only read, or change nothing the second time: a noun and its verbs.
const REPEATABLE: &[(&str, &str)] = &[
    ("session", "list get wait read screen history"),
    ("pattern", "list set test classify"),
    ("job", "get list"),
    ("chain", "list get save"),
    ("daemon", "ping status log"),
    ("config", "list get check"),
    ("program", "list get"),
    ("tape", "list get validate diff export svg"),
    (
        "coach",
        "status review get events ledger report patterns detect fingerprint export",
    ),
    ("exec", "get list sessions session"),
    (
        "conversation",
        "list search stats get export turns turn record tool tree",
    ),
];

/// True if repeating the method changes nothing, judged by its name.
pub(crate) fn is_repeatable(method: &str) -> bool {
    let (noun, verb) = method.split_once('.').unwrap_or_default();
    let verbs = REPEATABLE.iter().find(|(one, _)| *one == noun);
    verbs.is_some_and(|(_, verbs)| verbs.split(' ').any(|one| one == verb))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_repeatable_method_exists() {
        for (noun, verbs) in REPEATABLE {
            for verb in verbs.split(' ') {
                let name = format!("{noun}.{verb}");
                let mut known = ccd_protocol::methods();
                assert!(known.any(|method| method.name == name), "{name}");
            }
        }
    }
}
