//! `ccctl hooks plugin`: the plugin for Claude Code, which is part of this program.

use super::command::{command, is_same, on_path, own_path};
use crate::{Context, Exit, Failure, whole_file};
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

const MANIFEST: &str = include_str!("../../plugin/.claude-plugin/plugin.json");
const HOOKS: &str = include_str!("../../plugin/hooks/hooks.json");

/// The command in [`HOOKS`], in JSON.
const COMMAND: &str = "\"ccctl hook\"";

/// Writes the plugin to a directory. Other files in it are left alone.
///
/// # Errors
///
/// [`Failure::Io`].
pub(super) fn write(folder: &Path, context: &mut Context) -> Result<Exit, Failure> {
    let own = own_path().map_err(Failure::io("ccctl"))?;
    let by_name = on_path(OsStr::new("ccctl"));
    let hooks = match by_name.is_some_and(|by_name| is_same(&by_name, &own)) {
        true => HOOKS.to_owned(),
        false => hooks_of(&own.to_string_lossy()),
    };
    let files = [
        (".claude-plugin/plugin.json", MANIFEST),
        ("hooks/hooks.json", &*hooks),
    ];
    for (name, text) in files {
        let path = folder.join(name);
        let failed = || Failure::io(path.display().to_string());
        fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(failed())?;
        whole_file::write(&path, text.as_bytes()).map_err(failed())?;
    }
    let path = folder.display().to_string();
    if context.global.json {
        let files = files.map(|(name, _)| name);
        context.write_json(&serde_json::json!({"path": path, "files": files}))?;
    } else {
        context.write_line(&format!(
            "{path}: plugin written; try it with claude --plugin-dir {path}"
        ))?;
    }
    Ok(Exit::Done)
}

/// The hooks with the path of a program that is not on PATH.
fn hooks_of(program: &str) -> String {
    let quoted =
        serde_json::Value::from(command(program, &crate::args::HookArgs::default())).to_string();
    HOOKS.replace(COMMAND, &quoted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::DEFAULT_EVENTS;
    use crate::hooks::settings::{installed, parse};

    #[test]
    fn the_plugin_has_the_hooks_that_are_installed() {
        for (text, command) in [
            (HOOKS.to_owned(), "ccctl hook"),
            (hooks_of("/a \"b\"/ccctl"), "'/a \"b\"/ccctl' hook"),
        ] {
            let found = installed(&parse(&text).unwrap());
            let events: Vec<&str> = found.iter().map(|found| &*found.event).collect();
            assert_eq!(events, DEFAULT_EVENTS);
            assert!(found.iter().all(|found| found.command == command));
        }
    }

    #[test]
    fn the_manifest_names_this_version() {
        let manifest: serde_json::Value = serde_json::from_str(MANIFEST).unwrap();
        assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    }
}
