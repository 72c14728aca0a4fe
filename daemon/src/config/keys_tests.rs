use super::accepts::Accepts;
use super::keys::{Config, KEYS, is_group};
use super::list_of::ListOf;
use ccd_tape::settings::MAX_TAG_BYTES;
use serde_json::json;
use std::collections::BTreeSet;

#[test]
fn names_are_unique_dotted_paths() {
    let names: BTreeSet<_> = KEYS.iter().map(|key| key.name).collect();
    assert_eq!(names.len(), KEYS.len());
    assert!(names.contains("limits.rows") && names.contains("max_sessions"));
    assert!(is_group("limits") && !is_group("limits.rows") && !is_group(""));
}

#[test]
fn every_key_accepts_its_default_and_gives_it_back() {
    for key in KEYS {
        let mut config = Config::default();
        let default = key.get(&config);
        assert!(key.set(&mut config, &default), "{}", key.name);
        assert_eq!(config, Config::default(), "{}", key.name);
    }
}

/// A row whose accessors name another field than its key would pass every other test.
#[test]
fn every_key_changes_itself_alone() {
    for key in KEYS {
        let mut config = Config::default();
        let other = match &key.accepts {
            Accepts::Boolean => json!(!key.get(&config).as_bool().unwrap()),
            Accepts::BooleanOrNull => json!(false),
            Accepts::Integer(_, max) | Accepts::Seconds(max) => {
                let default = key.get(&config).as_u64().unwrap();
                json!(if default < *max {
                    default + 1
                } else {
                    default - 1
                })
            }
            Accepts::OneOf(words) => {
                let default = key.get(&config);
                json!(words.iter().find(|word| default != **word).unwrap())
            }
            Accepts::Path | Accepts::OptionalPath | Accepts::FileOrNull => json!("/other"),
            Accepts::Percent => json!(12.5),
            Accepts::Latency => json!("5-50"),
            Accepts::TapeName => json!("other/{random}"),
            Accepts::Tag | Accepts::Program => json!("other"),
            Accepts::List(ListOf::Decorators) => {
                json!([{"on": "input", "replace": "a", "with": "b"}])
            }
            Accepts::List(ListOf::Folders) => json!(["/other"]),
            Accepts::List(ListOf::SaveMoments) => json!(["session_end"]),
            Accepts::List(ListOf::Programs) => json!(["gdb"]),
            Accepts::List(ListOf::AgentPrograms) => json!([{"name": "coder"}]),
            Accepts::List(ListOf::Hosts) => json!(["ssh://other"]),
            Accepts::List(_) => json!(["OTHER"]),
        };
        assert!(key.set(&mut config, &other), "{}", key.name);
        let changed: Vec<_> = KEYS
            .iter()
            .filter(|k| k.get(&config) != k.get(&Config::default()))
            .map(|k| k.name)
            .collect();
        assert_eq!(changed, [key.name]);
    }
}

#[test]
fn ends_of_ranges_are_accepted_and_what_lies_beyond_is_not() {
    for key in KEYS {
        let (inside, outside) = match &key.accepts {
            Accepts::Boolean => (json!([true, false]), json!([1, "true"])),
            Accepts::BooleanOrNull => (json!([true, false, null]), json!([1, "true"])),
            Accepts::Integer(min, max) => {
                let below = *min as i64 - 1;
                (json!([min, max]), json!([below, max + 1, 1.5, "1"]))
            }
            Accepts::Seconds(max) => (json!([0, 0.5, max]), json!([-1, max + 1, "1s"])),
            Accepts::OneOf(words) => (json!(words), json!(["none of these", 1])),
            Accepts::Path => (json!(["/", "/a/b c"]), json!(["a", "", "~/a", "/a\0", 1])),
            Accepts::OptionalPath => (json!(["/a/b c", ""]), json!(["a", "~/a", 1, null])),
            Accepts::FileOrNull => (json!(["/a/b c", null]), json!(["a", "", 1])),
            Accepts::Percent => (json!([0, 0.5, 100]), json!([-1, 100.5, "5", "5%"])),
            Accepts::Latency => (
                json!(["tape", "RECORDED", "0", "10-50"]),
                json!([5, "60001", "50-10", "fast"]),
            ),
            Accepts::TapeName => (
                json!(["{program}", "a/{tag}-{random}"]),
                json!(["", "../a", "{nothing}", 5]),
            ),
            Accepts::Program => (
                json!(["claude", "/opt/a b/claude"]),
                json!(["", "a/b", "./a", "a\0", 5]),
            ),
            Accepts::Tag => (
                json!(["", "happy path", "x".repeat(MAX_TAG_BYTES)]),
                json!(["a\nb", "x".repeat(MAX_TAG_BYTES + 1), 5]),
            ),
            Accepts::List(list @ ListOf::Decorators) => {
                let filter = json!({"on": "tape", "filter": ["cat"]});
                let times = |count| vec![&filter; count];
                let most = list.max();
                (
                    json!([[], [filter], times(most)]),
                    json!([filter, ["A"], times(most + 1)]),
                )
            }
            Accepts::List(list @ ListOf::Folders) => (
                json!([[], ["/a b"], vec!["/"; list.max()]]),
                json!(["/a", ["a"], vec!["/"; list.max() + 1]]),
            ),
            Accepts::List(ListOf::SaveMoments) => (
                json!([[], ["session_end", "pre_compact"]]),
                json!(["session_end", ["stop"], vec!["session_end"; 3]]),
            ),
            Accepts::List(list @ ListOf::AgentPrograms) => {
                let coder = json!({"name": "coder", "works": "busy"});
                let times = |count| vec![&coder; count];
                (
                    json!([[], [coder], times(list.max())]),
                    json!([coder, ["A"], [{"name": "coder", "asks": "("}], times(list.max() + 1)]),
                )
            }
            Accepts::List(list @ ListOf::Hosts) => (
                json!([[], ["k8s://a/b"], vec!["docker://a"; list.max()]]),
                json!([
                    "ssh://a",
                    ["a"],
                    ["ssh://-a"],
                    vec!["ssh://a"; list.max() + 1]
                ]),
            ),
            Accepts::List(list) => (
                json!([[], ["A"], vec!["A"; list.max()]]),
                json!(["A", [null], vec!["A"; list.max() + 1]]),
            ),
        };
        let mut config = Config::default();
        for value in inside.as_array().unwrap() {
            assert!(key.set(&mut config, value), "{} refuses {value}", key.name);
        }
        for value in outside.as_array().unwrap() {
            assert!(!key.set(&mut config, value), "{} takes {value}", key.name);
        }
    }
}
