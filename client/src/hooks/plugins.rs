//! Our plugin, as Claude Code has it installed: from a marketplace, or in a directory of skills.

use super::file::{Scope, user_folder};
use super::settings;
use crate::named_file;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Our plugin in the names of plugins, which are `NAME@MARKETPLACE`.
const PREFIX: &str = "ccd@";

/// The name of a plugin that is in a directory of skills.
const OF_SKILLS: &str = "ccd@skills-dir";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plugin {
    pub(crate) id: String,
    /// `None` if Claude Code has not installed it yet.
    pub(crate) folder: Option<PathBuf>,
}

pub(super) fn switches(root: &Value) -> BTreeMap<String, bool> {
    let plugins = root["enabledPlugins"].as_object().into_iter().flatten();
    let ours = plugins.filter(|(id, _)| id.starts_with(PREFIX));
    ours.map(|(id, is_on)| (id.clone(), is_on == true))
        .collect()
}

impl Plugin {
    /// `switches` are those of all settings; the ones of the project override those of the user.
    pub(super) fn find(switches: &BTreeMap<String, bool>) -> Option<Self> {
        let installed = user_folder().map(|folder| folder.join("plugins/installed_plugins.json"));
        let installed = installed.and_then(|path| named_file::read(&path).ok());
        let folders = Scope::ALL.into_iter().filter_map(|scope| scope.path());
        let skills = folders.filter_map(|path| in_skills(&path.parent()?.join("skills")));
        Self::of(&installed.unwrap_or_default(), skills, switches)
    }

    /// An installed plugin takes precedence over one in a directory of skills, even if it is switched off.
    fn of(
        installed: &[u8],
        mut skills: impl Iterator<Item = PathBuf>,
        switches: &BTreeMap<String, bool>,
    ) -> Option<Self> {
        let installed: Value = serde_json::from_slice(installed).unwrap_or_default();
        let folder = |id: &str| {
            let folder = installed["plugins"][id][0]["installPath"].as_str();
            folder.map(PathBuf::from)
        };
        let of_markets = || switches.iter().filter(|(id, _)| *id != OF_SKILLS);
        if let Some((id, _)) = of_markets().find(|(_, is_on)| **is_on) {
            let folder = folder(id);
            return Some(Self {
                id: id.clone(),
                folder,
            });
        }
        let is_off = switches.get(OF_SKILLS) == Some(&false);
        if is_off || of_markets().any(|(id, _)| folder(id).is_some()) {
            return None;
        }
        let folder = skills.next()?;
        Some(Self {
            id: OF_SKILLS.to_owned(),
            folder: Some(folder),
        })
    }

    pub(crate) fn manifest(&self) -> Value {
        self.folder.as_deref().map(manifest).unwrap_or_default()
    }

    pub(crate) fn hook(&self) -> Option<String> {
        let path = self.folder.as_ref()?.join("hooks/hooks.json");
        let root = settings::parse(&named_file::read_text(&path).ok()?).ok()?;
        settings::installed(&root).pop().map(|found| found.command)
    }
}

fn in_skills(skills: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(skills).into_iter().flatten().flatten();
    let mut folders = entries.map(|entry| entry.path());
    folders.find(|folder| manifest(folder)["name"] == "ccd")
}

fn manifest(folder: &Path) -> Value {
    let text = named_file::read(&folder.join(".claude-plugin/plugin.json"));
    serde_json::from_slice(&text.unwrap_or_default()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn switches_of(text: &str) -> BTreeMap<String, bool> {
        let text = format!("{{\"enabledPlugins\": {text}}}");
        switches(&settings::parse(&text).unwrap())
    }

    #[test]
    fn a_plugin_is_found_where_it_is_installed_unless_it_is_switched_off() {
        let market = br#"{"plugins": {"ccd@m": [{"installPath": "/p", "version": "1"}]}}"#;
        for (installed, switches, id, folder) in [
            (&market[..], r#"{"ccd@m": true}"#, "ccd@m", Some("/p")),
            (market, r#"{"ccd@m": false}"#, "", None),
            (b"", r#"{"ccd@m": true}"#, "ccd@m", None),
            (b"", r#"{"ccd@m": false}"#, OF_SKILLS, Some("/s")),
            (b"", "{}", OF_SKILLS, Some("/s")),
            (b"", r#"{"ccd@skills-dir": false}"#, "", None),
            (b"", r#"{"accd@m": true}"#, OF_SKILLS, Some("/s")),
        ] {
            let skills = [PathBuf::from("/s")].into_iter();
            let found = Plugin::of(installed, skills, &switches_of(switches));
            let found = found.unwrap_or(Plugin {
                id: String::new(),
                folder: None,
            });
            assert_eq!(found.id, id, "{switches}");
            assert_eq!(found.folder.as_deref(), folder.map(Path::new), "{switches}");
        }
    }

    #[test]
    fn a_directory_of_skills_may_have_our_plugin() {
        let skills = tempfile::tempdir().unwrap();
        assert_eq!(in_skills(&skills.path().join("none")), None);
        let write = |folder: &str, name: &str| {
            let folder = skills.path().join(folder).join(".claude-plugin");
            fs::create_dir_all(&folder).unwrap();
            fs::write(
                folder.join("plugin.json"),
                format!("{{\"name\": {name:?}}}"),
            )
            .unwrap();
        };
        write("other", "other");
        assert_eq!(in_skills(skills.path()), None);
        write("any", "ccd");
        assert_eq!(in_skills(skills.path()), Some(skills.path().join("any")));
    }
}
