use super::keys::{Config, KEYS, Key};
use super::read::Loaded;
use super::refusal::ConfigRefusal;
use ccd_base::nearest::nearest;
use ccd_protocol::daemon::ConfigEntry;

/// Returns every key with its value and where that comes from, in the order of the table.
pub(crate) fn entries(loaded: &Loaded) -> Vec<ConfigEntry> {
    KEYS.iter().map(|key| describe(key, loaded)).collect()
}

pub(crate) fn entry(loaded: &Loaded, key: &str) -> Result<ConfigEntry, ConfigRefusal> {
    let unknown = || {
        let meant = nearest(key, KEYS.iter().map(|key| key.name));
        ConfigRefusal::UnknownKey(key.to_owned(), meant)
    };
    Ok(describe(Key::named(key).ok_or_else(unknown)?, loaded))
}

fn describe(key: &Key, loaded: &Loaded) -> ConfigEntry {
    let source = if loaded.set.contains(key.name) {
        "file"
    } else {
        "default"
    };
    ConfigEntry {
        key: key.name.to_owned(),
        value: key.get(&loaded.config),
        category: key.category.to_owned(),
        default: key.get(&Config::default()),
        value_type: key.accepts.type_name().to_owned(),
        range: key.accepts.range(),
        effect: key.effect.to_owned(),
        source: source.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::check;
    use super::*;

    const EXAMPLE: &str = include_str!("../../../config.example.json");

    /// Returns what config.example.json must contain: every key with its meaning, range and default.
    fn example() -> String {
        let mut groups: Vec<&str> = KEYS.iter().map(|key| split(key).0).collect();
        groups.dedup();
        let objects = groups.into_iter().map(|group| match group {
            "" => members_of(""),
            _ => format!("  \"{group}\": {{\n{}\n  }}", members_of(group)),
        });
        let objects: Vec<String> = objects.collect();
        format!(
            "// Every key with its default. The format is JSON5, so comments are allowed.\n{{\n{}\n}}\n",
            objects.join(",\n\n")
        )
    }

    fn members_of(group: &str) -> String {
        let defaults = Config::default();
        let indent = if group.is_empty() { "  " } else { "    " };
        let member = |key: &Key| {
            let (effect, category, name) = (key.effect, key.category, split(key).1);
            let (kind, range) = (key.accepts.type_name(), key.accepts.range());
            let value = key.get(&defaults);
            format!(
                "{indent}// {effect}\n{indent}// {category}, {kind}: {range}\n{indent}\"{name}\": {value}"
            )
        };
        let members = KEYS.iter().filter(|key| split(key).0 == group).map(member);
        members.collect::<Vec<_>>().join(",\n\n")
    }

    fn split(key: &Key) -> (&'static str, &'static str) {
        key.name.rsplit_once('.').unwrap_or(("", key.name))
    }

    #[test]
    fn the_example_file_documents_every_key_with_its_default() {
        assert!(
            EXAMPLE == example(),
            "config.example.json should be:\n{}",
            example()
        );
        let checked = check(EXAMPLE.as_bytes());
        assert!(
            checked.mistakes.is_empty() && checked.warnings.is_empty(),
            "{checked:?}"
        );
        assert_eq!(checked.config, Config::default());
        assert_eq!(checked.set.len(), KEYS.len());
    }

    #[test]
    fn an_entry_tells_value_default_and_source() {
        let checked = check(b"{ limits: { rows: 60 } }");
        let loaded = Loaded {
            config: checked.config,
            set: checked.set,
            ..Loaded::default()
        };
        let rows = entry(&loaded, "limits.rows").unwrap();
        assert_eq!((rows.value, rows.default), (60.into(), 1000.into()));
        assert_eq!(
            (rows.source.as_str(), rows.range.as_str()),
            ("file", "1 to 10000")
        );
        let sources = entries(&loaded).into_iter().map(|entry| entry.source);
        assert_eq!(sources.filter(|source| source == "file").count(), 1);
        assert!(entry(&loaded, "limits").is_err());
    }
}
