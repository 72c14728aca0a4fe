//! The command that was given, and the values of its arguments as JSON.

use super::definition::method_of;
use super::offer::{DaemonPath, Use};
use super::value::Size;
use crate::detach_keys::{DetachKeys, detach_keys};
use crate::fields::Fields;
use ccd_protocol::Timeout;
use ccd_protocol::session::Pattern;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Given {
    /// The words of the command, such as `session run`.
    pub(crate) command: String,
    /// The method that carries it out, and what else the definition says about that.
    pub(crate) method: Option<&'static str>,
    /// True if options stand before the verb, which does not take them.
    pub(crate) has_misplaced: bool,
    /// By the names of the arguments: null for a value that is not there, `false` and an empty list otherwise.
    values: Value,
    paths: Vec<(String, DaemonPath)>,
    uses: Vec<(String, Use)>,
}

impl Fields for Given {
    fn at(&self, path: &str) -> &Value {
        let name = path.split('.').next().unwrap_or_default();
        let is_known = self
            .values
            .as_object()
            .is_none_or(|all| all.contains_key(name));
        debug_assert!(is_known, "{} has no argument {name}", self.command);
        self.values.at(path)
    }
}

impl Given {
    /// A word without any argument.
    pub(super) fn bare(word: &str) -> Self {
        Self {
            command: word.to_owned(),
            method: None,
            has_misplaced: false,
            values: Value::Null,
            paths: Vec::new(),
            uses: Vec::new(),
        }
    }

    pub(super) fn of(definition: &Command, matches: &ArgMatches) -> Self {
        let word = definition.get_name();
        let Some((verb, inner)) = matches.subcommand() else {
            return Self::bare(word).with_values(definition, matches);
        };
        let own = arguments(definition).map(|arg| arg.get_id().as_str());
        let is_given = |id| matches.value_source(id) == Some(ValueSource::CommandLine);
        let given = Self {
            method: method_of(word, verb),
            has_misplaced: { own }.any(is_given),
            ..Self::bare(&format!("{word} {verb}"))
        };
        match definition.find_subcommand(verb) {
            Some(definition) => given.with_values(definition, inner),
            None => given,
        }
    }

    fn with_values(mut self, definition: &Command, matches: &ArgMatches) -> Self {
        let mut values = Map::new();
        for arg in arguments(definition) {
            let id = arg.get_id().as_str();
            let all = || matches.get_many::<Value>(id).into_iter().flatten();
            let value = match arg.get_action() {
                ArgAction::SetTrue => Value::Bool(matches.get_flag(id)),
                _ if is_list(arg) => all().cloned().collect(),
                _ => all().next().cloned().unwrap_or_default(),
            };
            values.insert(id.to_owned(), value);
            if let Some(kind) = arg.get::<DaemonPath>() {
                self.paths.push((id.to_owned(), *kind));
            }
            if let Some(other) = arg.get::<Use>() {
                self.uses.push((id.to_owned(), *other));
            }
        }
        self.values = Value::Object(values);
        self
    }

    /// Resolves paths for the daemon, whose working directory differs, and reads files for it.
    pub(crate) fn with_paths<E>(
        mut self,
        located: impl Fn(&str, DaemonPath) -> Result<Value, E>,
    ) -> Result<Self, E> {
        for (name, kind) in &self.paths {
            if let Value::String(path) = &self.values[name] {
                self.values[name] = located(path, *kind)?;
            }
        }
        Ok(self)
    }

    /// What is given, as the parameters of a method. A size is two of them.
    pub(crate) fn params(&self) -> Value {
        let mut params = Map::new();
        let all = self.values.as_object().into_iter().flatten();
        for (name, value) in all {
            let other = self.uses.iter().find(|(one, _)| one == name);
            match (other.map(|(_, other)| *other), value) {
                (Some(Use::Switch), Value::Bool(is_on)) => {
                    params.insert(name.clone(), (*is_on).into());
                }
                (Some(Use::Own), _) => {}
                _ if !self.is_given(name) => {}
                (Some(Use::Off), _) => drop(params.insert(name.clone(), false.into())),
                (_, Value::String(none)) if name == "timeout_ms" && none == "none" => {
                    params.insert(name.clone(), Value::Null);
                }
                (None, Value::Object(size)) if name == "size" => params.extend(size.clone()),
                (_, value) => drop(params.insert(name.clone(), value.clone())),
            }
        }
        params.into()
    }

    /// Those of the arguments `names` that are given, as a record.
    pub(crate) fn pick(&self, names: &str) -> Value {
        let given = names.split(' ').filter(|name| self.is_given(name));
        given.map(|name| (name, self.at(name).clone())).collect()
    }

    /// False for arguments that the command does not have, too.
    pub(crate) fn is_given(&self, name: &str) -> bool {
        match &self.values[name] {
            Value::Array(all) => !all.is_empty(),
            value => !value.is_null() && value != &Value::Bool(false),
        }
    }

    /// The text of an argument, if it is given.
    pub(crate) fn word(&self, name: &str) -> Option<&str> {
        self.at(name).as_str()
    }

    pub(crate) fn words(&self, name: &str) -> Vec<String> {
        let words = self.list(name).iter().filter_map(Value::as_str);
        words.map(str::to_owned).collect()
    }

    /// The program and its arguments.
    pub(crate) fn program(&self) -> (Option<String>, Vec<String>) {
        let mut words = self.words("program").into_iter();
        (words.next(), words.collect())
    }

    pub(crate) fn path(&self, name: &str) -> Option<&Path> {
        self.word(name).map(Path::new)
    }

    pub(crate) fn count(&self, name: &str) -> Option<u64> {
        self.at(name).as_u64()
    }

    pub(crate) fn seconds(&self, name: &str) -> Option<f64> {
        self.at(name).as_f64()
    }

    pub(crate) fn timeout(&self, name: &str) -> Timeout {
        match self.at(name) {
            Value::Null => Timeout::Default,
            ms => ms.as_f64().map_or(Timeout::Forever, Timeout::After),
        }
    }

    pub(crate) fn size(&self) -> Option<Size> {
        Some(Size {
            rows: self.at("size.rows").as_i64()?,
            cols: self.at("size.cols").as_i64()?,
        })
    }

    /// The value of a word of the protocol; a value that is not there, or of another kind, is `None`.
    pub(crate) fn typed<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        crate::typed::typed(self.at(name)).ok()
    }

    /// Arguments `NAME=VALUE`.
    pub(crate) fn pairs(&self, name: &str) -> BTreeMap<String, String> {
        let pairs = self
            .list(name)
            .iter()
            .filter_map(|pair| pair.as_str()?.split_once('='));
        pairs
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }

    /// The variables that are set for a program.
    pub(crate) fn variables(&self) -> BTreeMap<String, String> {
        let mut variables = self.pairs("env");
        variables.extend(
            self.word("term")
                .map(|term| ("TERM".to_owned(), term.to_owned())),
        );
        variables
    }

    /// Patterns, which are texts with `--exact`.
    pub(crate) fn patterns(&self, name: &str) -> Vec<Pattern> {
        let pattern = if self.has("exact") {
            Pattern::Exact
        } else {
            Pattern::Regex
        };
        self.words(name).into_iter().map(pattern).collect()
    }

    pub(crate) fn detach_keys(&self) -> DetachKeys {
        detach_keys(self.text("detach_keys")).unwrap_or_default()
    }
}

/// The arguments of a command, without those of all commands.
fn arguments(definition: &Command) -> impl Iterator<Item = &Arg> {
    let all = definition.get_arguments();
    all.filter(|arg| {
        let of_clap = matches!(
            arg.get_action(),
            ArgAction::Help | ArgAction::HelpShort | ArgAction::Version
        );
        !arg.is_global_set() && !of_clap
    })
}

fn is_list(arg: &Arg) -> bool {
    let is_many = arg
        .get_num_args()
        .is_some_and(|count| count.max_values() > 1);
    is_many || matches!(arg.get_action(), ArgAction::Append)
}
