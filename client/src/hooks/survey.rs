//! What is known about the hooks: settings, the running daemon, the spool.

use super::daemon::Daemon;
use super::file::{Scope, SettingsFile};
use super::plugins::{self, Plugin};
use super::settings;
use crate::Context;
use crate::args::DEFAULT_EVENTS;
use crate::check::shown;
use crate::fields::Fields as _;
use ccd_protocol::hook::SpoolStatus;
use ccd_protocol::hook::spool::{FOLDER, FileName, LOST};
use ccd_protocol::socket::base_path;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub(crate) struct Survey {
    /// The facts of each file of settings that there can be, with our hooks as `found`.
    pub(super) settings: Vec<Value>,
    pub(crate) plugin: Option<Plugin>,
    pub(crate) daemon: Daemon,
    pub(super) spool: SpoolStatus,
    pub(crate) base: Option<PathBuf>,
}

impl Survey {
    /// Looks at everything; starts nothing.
    pub(crate) fn take(context: &Context) -> Self {
        let base = base_path(|name| std::env::var_os(name)).ok();
        let mut settings: Vec<_> = Scope::ALL.into_iter().filter_map(facts_of).collect();
        // In the home directory, the project's settings are the user's.
        settings.dedup_by_key(|settings| {
            let path = PathBuf::from(settings.text("path"));
            path.canonicalize().unwrap_or(path)
        });
        Self {
            plugin: Plugin::find(&settings.iter().flat_map(plugins::switches).collect()),
            settings,
            daemon: Daemon::ask(context),
            spool: base.as_deref().map(spool).unwrap_or_default(),
            base,
        }
    }

    /// Our hooks in the settings.
    pub(super) fn found(&self) -> impl Iterator<Item = &Value> {
        self.settings
            .iter()
            .flat_map(|settings| settings.list("found"))
    }

    pub(super) fn scopes(&self, event: &str) -> Vec<&str> {
        let is_of = |found: &Value| found["event"] == event;
        let has = |settings: &&Value| settings.list("found").iter().any(is_of);
        let settings = self.settings.iter().filter(has);
        let mut scopes: Vec<_> = settings.map(|settings| settings.text("scope")).collect();
        if self.plugin.is_some() && DEFAULT_EVENTS.contains(&event) {
            scopes.push("plugin");
        }
        scopes
    }

    pub(crate) fn has_hooks(&self) -> bool {
        self.plugin.is_some() || self.found().next().is_some()
    }

    /// What the daemon knows of the hooks for an event; null if there is nothing.
    pub(super) fn event(&self, event: &str) -> &Value {
        let mut events = self.daemon.status().list("hooks.events").iter();
        let found = events.find(|status| status["event"] == event);
        found.unwrap_or(&Value::Null)
    }
}

/// What the settings of a scope say; `None` without a home directory.
fn facts_of(scope: Scope) -> Option<Value> {
    let path = scope.path()?;
    let mut facts = json!({
        "scope": scope.name(),
        "path": shown(&path),
        "exists": true,
        "error": null,
        "hooks": 0,
        "disable_all_hooks": false,
    });
    let text = match SettingsFile::at(path) {
        Ok(file) => file.text,
        Err(failure) => {
            facts["error"] = failure.to_string().into();
            return Some(facts);
        }
    };
    facts["exists"] = text.is_some().into();
    let text = text.unwrap_or_default();
    match settings::parse(&text) {
        Ok(root) => {
            let found = settings::installed(&root);
            let mut others = settings::commands(&root);
            others.retain(|command| is_other_collector(command));
            facts["hooks"] = found.len().into();
            facts["found"] = json!(found);
            facts["others"] = json!(others);
            facts["disable_all_hooks"] = (root["disableAllHooks"] == true).into();
            facts["enabledPlugins"] = root["enabledPlugins"].clone();
        }
        Err(_) if text.trim().is_empty() => {}
        Err(mistake) => facts["error"] = format!("{}: {mistake}", facts.text("path")).into(),
    }
    Some(facts)
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
