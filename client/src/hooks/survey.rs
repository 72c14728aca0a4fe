//! What is known about the hooks: settings, the running daemon, the spool.

use super::daemon::Daemon;
use super::file::{Scope, SettingsFile};
use super::plugins::{self, Plugin};
use super::settings::{self, InstalledHook};
use crate::Context;
use crate::fields::Fields as _;
use ccd_protocol::hook::SpoolStatus;
use ccd_protocol::hook::spool::{FOLDER, FileName, LOST};
use ccd_protocol::socket::base_path;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub(super) struct Settings {
    pub(super) scope: Scope,
    pub(super) path: PathBuf,
    pub(super) exists: bool,
    pub(super) mistake: Option<String>,
    pub(super) found: Vec<InstalledHook>,
    pub(super) disables_all: bool,
    pub(super) plugins: BTreeMap<String, bool>,
    /// Commands of another program that collects the same.
    pub(super) others: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct Survey {
    pub(super) settings: Vec<Settings>,
    pub(crate) plugin: Option<Plugin>,
    pub(crate) daemon: Daemon,
    pub(super) spool: SpoolStatus,
    pub(crate) base: Option<PathBuf>,
}

impl Survey {
    /// Looks at everything; starts nothing.
    pub(crate) fn take(context: &Context) -> Self {
        let base = base_path(|name| std::env::var_os(name)).ok();
        let mut settings: Vec<_> = Scope::ALL.into_iter().filter_map(Settings::of).collect();
        // In the home directory, the project's settings are the user's.
        settings.dedup_by_key(|settings| settings.real_path());
        let switches = settings
            .iter()
            .flat_map(|settings| settings.plugins.clone());
        Self {
            plugin: Plugin::find(&switches.collect()),
            settings,
            daemon: Daemon::ask(context),
            spool: base.as_deref().map(spool).unwrap_or_default(),
            base,
        }
    }

    pub(super) fn scopes(&self, event: &str) -> Vec<&'static str> {
        let has = |settings: &&Settings| settings.found.iter().any(|found| found.event == event);
        let mut scopes: Vec<_> = self
            .settings
            .iter()
            .filter(has)
            .map(|settings| settings.scope.name())
            .collect();
        let is_default = crate::args::DEFAULT_EVENTS.contains(&event);
        if is_default && self.plugin.is_some() {
            scopes.push("plugin");
        }
        scopes
    }

    pub(crate) fn has_hooks(&self) -> bool {
        self.plugin.is_some() || self.settings.iter().any(|it| !it.found.is_empty())
    }

    /// What the daemon knows of the hooks for an event; null if there is nothing.
    pub(super) fn event(&self, event: &str) -> &Value {
        let mut events = self.daemon.status().list("hooks.events").iter();
        let found = events.find(|status| status["event"] == event);
        found.unwrap_or(&Value::Null)
    }
}

impl Settings {
    /// The settings of a scope; `None` without a home directory.
    fn of(scope: Scope) -> Option<Self> {
        let mut settings = Self {
            scope,
            path: scope.path()?,
            exists: true,
            mistake: None,
            found: Vec::new(),
            disables_all: false,
            plugins: BTreeMap::new(),
            others: Vec::new(),
        };
        match SettingsFile::at(settings.path.clone()) {
            Ok(SettingsFile {
                text: Some(text), ..
            }) => settings.read(&text),
            Ok(_) => settings.exists = false,
            Err(failure) => settings.mistake = Some(failure.to_string()),
        }
        Some(settings)
    }

    /// The path without links, as far as the file exists.
    fn real_path(&self) -> PathBuf {
        self.path
            .canonicalize()
            .unwrap_or_else(|_| self.path.clone())
    }

    fn read(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        let root = match settings::parse(text) {
            Ok(root) => root,
            Err(mistake) => {
                self.mistake = Some(format!("{}: {mistake}", self.path.display()));
                return;
            }
        };
        self.found = settings::installed(&root);
        self.disables_all = root["disableAllHooks"] == true;
        self.plugins = plugins::switches(&root);
        self.others = settings::commands(&root)
            .into_iter()
            .filter(|command| is_other_collector(command))
            .collect();
    }
}

/// True for the commands of the coach plugin, which collects the same events into the same database.
fn is_other_collector(command: &str) -> bool {
    let is_script = command.contains("/coach/") && command.contains(".py");
    is_script || command.contains(".claude-coach/bin/")
}

fn spool(base: &Path) -> SpoolStatus {
    let folder = base.join(FOLDER);
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| FileName::parse(entry.file_name().to_str()?));
    let lost = std::fs::metadata(folder.join(LOST)).map_or(0, |lost| lost.len());
    let empty = SpoolStatus {
        lost,
        ..SpoolStatus::default()
    };
    names.fold(empty, |sum, name| SpoolStatus {
        files: sum.files + 1,
        bytes: sum.bytes.saturating_add(name.len_bytes),
        ..sum
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_of_the_other_collector_are_known() {
        let of_plugin = "/h/.claude/plugins/cache/m/coach/1.0/scripts/detect_signals.py";
        for (command, is_it) in [
            (&*format!("python3 {of_plugin} --phase=pre"), true),
            ("~/.claude-coach/bin/coach-run aggregate --async", true),
            ("/opt/coaching/ccctl hook", false),
        ] {
            assert_eq!(is_other_collector(command), is_it, "{command}");
        }
    }

    #[test]
    fn the_spool_is_counted_by_its_names() {
        let base = tempfile::tempdir().unwrap();
        let folder = base.path().join(FOLDER);
        assert_eq!(spool(base.path()), SpoolStatus::default());
        std::fs::create_dir(&folder).unwrap();
        let name = FileName::new(std::time::SystemTime::now(), 7);
        for name in [name.to_string(), name.unfinished(), "other".to_owned()] {
            std::fs::write(folder.join(name), "").unwrap();
        }
        std::fs::write(folder.join(LOST), "...").unwrap();
        let counted = SpoolStatus {
            files: 1,
            bytes: 7,
            lost: 3,
        };
        assert_eq!(spool(base.path()), counted);
    }
}
