//! The coach's own `config.json`, in the seed's form.

use crate::patterns::{PatternGroup, PatternSet};
use crate::scope::Indicators;
use ccd_protocol::coach::PatternGroup as ListedGroup;
use ccd_store::own_file;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// A larger file is refused.
const MAX_BYTES: u64 = 4 << 20;

const SIGNAL_PATTERNS: &str = "signal_patterns";
const SCOPE_INDICATORS: &str = "scope_indicators";

/// What the file says, with the built-in values where it says nothing.
#[derive(Debug, Clone)]
pub(crate) struct CoachConfig {
    pub(crate) batch_interval: Duration,
    pub(crate) min_evidence_count: usize,
    pub(crate) promotion_threshold_repos: usize,
    pub(crate) patterns: Arc<PatternSet>,
    pub(crate) indicators: Indicators,
    /// What cannot be used, each in one line.
    pub(crate) problems: Vec<String>,
    signal_patterns: BTreeMap<String, Vec<String>>,
    scope_indicators: BTreeMap<String, Vec<String>>,
}

#[derive(Debug)]
pub(crate) struct ConfigFile {
    path: PathBuf,
    stamp: Option<(SystemTime, u64)>,
    /// `None` until it is needed: to compile all patterns takes tens of milliseconds.
    config: Option<Arc<CoachConfig>>,
}

/// What the file says, as far as it is an object.
type Document = Map<String, Value>;

impl ConfigFile {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self {
            path,
            stamp: None,
            config: None,
        }
    }

    /// Returns the configuration, read again if the file has changed.
    pub(crate) fn fresh(&mut self) -> Arc<CoachConfig> {
        let stamp = std::fs::metadata(&self.path)
            .and_then(|meta| Ok((meta.modified()?, meta.len())))
            .ok();
        if let Some(config) = &self.config
            && stamp == self.stamp
        {
            return Arc::clone(config);
        }
        self.stamp = stamp;
        let config = Arc::new(read(&self.path));
        for problem in &config.problems {
            tracing::warn!(problem, "the coach's configuration");
        }
        self.config = Some(Arc::clone(&config));
        config
    }
}

/// Creates the file with the built-in lists, if there is none.
pub(crate) fn create_config(path: &Path) {
    if !path.exists()
        && let Err(error) = create(path)
    {
        tracing::warn!(%error, path = %path.display(), "the coach's configuration could not be created");
    }
}

fn read(path: &Path) -> CoachConfig {
    let shown = path.display();
    let document = match own_file::document(path, MAX_BYTES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Document::new()),
        Err(error) => Err(format!("{shown}: {error}; the built-in values are used")),
        Ok(text) => serde_json::from_slice(&text)
            .map_err(|error| format!("{shown}: {error}; the built-in values are used")),
    };
    match document {
        Ok(document) => CoachConfig::new(&document, Vec::new()),
        Err(problem) => CoachConfig::new(&Document::new(), vec![problem]),
    }
}

impl CoachConfig {
    fn new(document: &Document, mut problems: Vec<String>) -> Self {
        let member = |name: &str| document.get(name).filter(|value| !value.is_null());
        let mut number = |name: &str, default: u64, max: u64| {
            let Some(value) = member(name) else {
                return default;
            };
            let number = value.as_u64().filter(|number| (1..=max).contains(number));
            number.unwrap_or_else(|| {
                problems.push(format!(
                    "{name}: must be a whole number from 1 to {max}; {default} is used"
                ));
                default
            })
        };
        let minutes = number("batch_interval_minutes", 15, 1440);
        let min_evidence = number("min_evidence_count", 2, 1000);
        let threshold = number("promotion_threshold_repos", 2, 1000);
        let mut own = |section| groups(section, member(section), &mut problems);
        let (signal_patterns, scope_indicators) = (own(SIGNAL_PATTERNS), own(SCOPE_INDICATORS));
        let (patterns, wrong) = PatternSet::with_config(&signal_patterns);
        problems.extend(wrong);
        let (indicators, wrong) = Indicators::with_config(&scope_indicators);
        problems.extend(wrong);
        Self {
            batch_interval: Duration::from_secs(minutes * 60),
            min_evidence_count: min_evidence as usize,
            promotion_threshold_repos: threshold as usize,
            patterns: Arc::new(patterns),
            indicators,
            problems,
            signal_patterns,
            scope_indicators,
        }
    }

    /// Returns all groups, those of the file and the built-in ones.
    pub(crate) fn listed(&self) -> Vec<ListedGroup> {
        let listed = |section: &str, own: &BTreeMap<String, Vec<String>>| {
            let built_in = built_in(section).into_iter();
            let group = |(name, built_in): (String, Vec<String>)| ListedGroup {
                section: section.to_owned(),
                built_in: own.get(&name).is_none_or(|own| *own == built_in),
                patterns: own.get(&name).cloned().unwrap_or(built_in),
                name,
            };
            built_in.map(group).collect::<Vec<_>>()
        };
        let signals = listed(SIGNAL_PATTERNS, &self.signal_patterns);
        [signals, listed(SCOPE_INDICATORS, &self.scope_indicators)].concat()
    }
}

/// Returns the built-in groups of a section, in the order in which they are shown.
fn built_in(section: &str) -> Vec<(String, Vec<String>)> {
    if section == SIGNAL_PATTERNS {
        let groups = PatternGroup::ALL.iter();
        return groups
            .map(|(group, name)| ((*name).to_owned(), group.built_in().to_vec()))
            .collect();
    }
    let owned = |list: Vec<&str>| list.into_iter().map(str::to_owned).collect();
    let groups = Indicators::built_in().into_iter();
    groups
        .map(|(name, list)| (name.to_owned(), owned(list)))
        .collect()
}

/// Returns the groups of a section, as far as they are lists of texts.
fn groups(
    section: &str,
    value: Option<&Value>,
    problems: &mut Vec<String>,
) -> BTreeMap<String, Vec<String>> {
    let mut groups = BTreeMap::new();
    let members = match value {
        None => return groups,
        Some(Value::Object(members)) => members,
        Some(_) => {
            problems.push(format!(
                "{section}: must be an object of lists; the built-in lists are used"
            ));
            return groups;
        }
    };
    for (name, list) in members {
        match serde_json::from_value(list.clone()) {
            Ok(list) => {
                groups.insert(name.clone(), list);
            }
            Err(_) => problems.push(format!(
                "{section}.{name}: must be a list of texts; the built-in list is used"
            )),
        }
    }
    groups
}

/// Creates the file with the seed's keys and the built-in lists.
fn create(path: &Path) -> io::Result<()> {
    let lists = |section| {
        let lists = built_in(section).into_iter();
        lists
            .map(|(name, list)| (name, json!(list)))
            .collect::<Map<String, Value>>()
    };
    let document = json!({
        "version": "1.0.0",
        "batch_interval_minutes": 15,
        "min_evidence_count": 2,
        "promotion_threshold_repos": 2,
        SIGNAL_PATTERNS: lists(SIGNAL_PATTERNS),
        SCOPE_INDICATORS: lists(SCOPE_INDICATORS),
        "created_at": ccd_base::clock::now(),
    });
    let mut text = serde_json::to_string_pretty(&document)?;
    text.push('\n');
    own_file::create(path)?.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_start_writes_the_built_in_lists_and_they_count_as_built_in() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.json");
        create_config(&path);
        let mut file = ConfigFile::new(path.clone());
        let written: Value =
            serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        assert_eq!(written["batch_interval_minutes"], 15);
        assert!(
            written["signal_patterns"]["correction"]
                .as_array()
                .unwrap()
                .len()
                > 5
        );
        let config = file.fresh();
        assert_eq!(config.problems, [""; 0]);
        assert!(config.listed().iter().all(|group| group.built_in));
    }

    #[test]
    fn mistakes_are_named_and_the_rest_of_the_file_holds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.json");
        std::fs::write(
            &path,
            r#"{"min_evidence_count": 3, "promotion_threshold_repos": "two", "signal_patterns":
                {"correction": ["\\bhalt\\b"], "escalation": ["("], "failure_stderr": 5}, "scope_indicators": []}"#,
        )
        .unwrap();
        let mut file = ConfigFile::new(path.clone());
        let config = file.fresh();
        assert_eq!(
            (config.min_evidence_count, config.promotion_threshold_repos),
            (3, 2)
        );
        assert_eq!(config.problems.len(), 4, "{:?}", config.problems);
        let listed = config.listed();
        let correction = listed
            .iter()
            .find(|group| group.name == "correction")
            .unwrap();
        assert!(!correction.built_in);
        std::fs::write(&path, "{").unwrap();
        let config = file.fresh();
        assert_eq!(config.min_evidence_count, 2);
        assert!(
            config.problems[0].contains("config.json"),
            "{:?}",
            config.problems
        );
    }
}
