use super::list_of::ListOf;
use super::schema::{Accepts, KEYS, is_group};
use super::values::Config;
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
            Accepts::Boolean => (
                vec![json!(true), json!(false)],
                vec![json!(1), json!("true")],
            ),
            Accepts::BooleanOrNull => (
                vec![json!(true), json!(false), json!(null)],
                vec![json!(1), json!("true")],
            ),
            Accepts::Integer(min, max) => (
                vec![json!(min), json!(max)],
                vec![
                    json!(*min as i64 - 1),
                    json!(max + 1),
                    json!(1.5),
                    json!("1"),
                ],
            ),
            Accepts::Seconds(max) => (
                vec![json!(0), json!(0.5), json!(max)],
                vec![json!(-1), json!(max + 1), json!("1s")],
            ),
            Accepts::OneOf(words) => (
                words.iter().map(|word| json!(word)).collect(),
                vec![json!("none of these"), json!(1)],
            ),
            Accepts::Path => (
                vec![json!("/"), json!("/a/b c")],
                vec![json!("a"), json!(""), json!("~/a"), json!("/a\0"), json!(1)],
            ),
            Accepts::OptionalPath => (
                vec![json!("/a/b c"), json!("")],
                vec![json!("a"), json!("~/a"), json!(1), json!(null)],
            ),
            Accepts::FileOrNull => (
                vec![json!("/a/b c"), json!(null)],
                vec![json!("a"), json!(""), json!(1)],
            ),
            Accepts::Percent => (
                vec![json!(0), json!(0.5), json!(100)],
                vec![json!(-1), json!(100.5), json!("5"), json!("5%")],
            ),
            Accepts::Latency => (
                vec![json!("tape"), json!("RECORDED"), json!("0"), json!("10-50")],
                vec![json!(5), json!("60001"), json!("50-10"), json!("fast")],
            ),
            Accepts::TapeName => (
                vec![json!("{program}"), json!("a/{tag}-{random}")],
                vec![json!(""), json!("../a"), json!("{nothing}"), json!(5)],
            ),
            Accepts::Program => (
                vec![json!("claude"), json!("/opt/a b/claude")],
                vec![
                    json!(""),
                    json!("a/b"),
                    json!("./a"),
                    json!("a\0"),
                    json!(5),
                ],
            ),
            Accepts::Tag => (
                vec![
                    json!(""),
                    json!("happy path"),
                    json!("x".repeat(MAX_TAG_BYTES)),
                ],
                vec![
                    json!("a\nb"),
                    json!("x".repeat(MAX_TAG_BYTES + 1)),
                    json!(5),
                ],
            ),
            Accepts::List(list @ ListOf::Decorators) => {
                let filter = json!({"on": "tape", "filter": ["cat"]});
                (
                    vec![json!([]), json!([filter]), json!(vec![&filter; list.max()])],
                    vec![
                        filter.clone(),
                        json!(["A"]),
                        json!(vec![&filter; list.max() + 1]),
                    ],
                )
            }
            Accepts::List(list @ ListOf::Folders) => (
                vec![json!([]), json!(["/a b"]), json!(vec!["/"; list.max()])],
                vec![json!("/a"), json!(["a"]), json!(vec!["/"; list.max() + 1])],
            ),
            Accepts::List(ListOf::SaveMoments) => (
                vec![json!([]), json!(["session_end", "pre_compact"])],
                vec![
                    json!("session_end"),
                    json!(["stop"]),
                    json!(vec!["session_end"; 3]),
                ],
            ),
            Accepts::List(list) => (
                vec![json!([]), json!(["A"]), json!(vec!["A"; list.max()])],
                vec![json!("A"), json!([null]), json!(vec!["A"; list.max() + 1])],
            ),
        };
        let mut config = Config::default();
        for value in inside {
            assert!(key.set(&mut config, &value), "{} refuses {value}", key.name);
        }
        for value in outside {
            assert!(!key.set(&mut config, &value), "{} takes {value}", key.name);
        }
    }
}
