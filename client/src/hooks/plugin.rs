//! `ccctl hooks plugin`: the plugin for Claude Code, which is part of this program.

use super::command::{command, own_path};
use super::file::user_folder;
use crate::program::{is_same, on_path};
use ccd_base::shell;

use crate::{Context, Exit, Failure, whole_file};
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

/// Names and contents of the files. In all of them `ccctl` is called by its name.
const FILES: [(&str, &str); 6] = [
    (
        ".claude-plugin/plugin.json",
        include_str!("../../plugin/.claude-plugin/plugin.json"),
    ),
    (
        "hooks/hooks.json",
        include_str!("../../plugin/hooks/hooks.json"),
    ),
    (
        "skills/terminal-sessions/SKILL.md",
        include_str!("../../plugin/skills/terminal-sessions/SKILL.md"),
    ),
    (
        "commands/coach.md",
        include_str!("../../plugin/commands/coach.md"),
    ),
    (
        "commands/memory.md",
        include_str!("../../plugin/commands/memory.md"),
    ),
    (
        "commands/exec.md",
        include_str!("../../plugin/commands/exec.md"),
    ),
];

/// Writes the plugin to a directory. Other files in it are left alone.
pub(super) fn write(folder: &Path, context: &mut Context) -> Result<Exit, Failure> {
    let own = own_path().map_err(Failure::io("ccctl"))?;
    let by_name = on_path(OsStr::new("ccctl"));
    let is_on_path = by_name.is_some_and(|by_name| is_same(&by_name, &own));
    for (name, text) in FILES {
        let text = if is_on_path {
            text.to_owned()
        } else {
            calling(&own.to_string_lossy(), name, text)
        };
        let path = folder.join(name);
        let failed = || Failure::io(path.display().to_string());
        fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(failed())?;
        whole_file::write(&path, text.as_bytes()).map_err(failed())?;
    }
    let path = folder.display().to_string();
    let files = FILES.map(|(name, _)| name);
    let written = serde_json::json!({"path": path, "files": files});
    let skills = user_folder().map(|folder| folder.join("skills"));
    let parent = std::path::absolute(folder).unwrap_or_default();
    let places = parent.parent().zip(skills.as_deref());
    let next = if places.is_some_and(|(one, other)| is_same(one, other)) {
        "new sessions of Claude Code load it".to_owned()
    } else {
        format!("try it with claude --plugin-dir {path}")
    };
    context.print_either(&written, |out| {
        writeln!(out, "{path}: plugin written; {next}")
    })
}

/// A file that calls a program that is not on PATH: in JSON, hooks are command lines, and the MCP server is a path.
fn calling(program: &str, name: &str, text: &str) -> String {
    if !name.ends_with(".json") {
        let word = shell::line([&program.to_owned()]);
        return text.replace("ccctl ", &format!("{word} "));
    }
    let json = |text: &str| serde_json::Value::from(text).to_string();
    let hook = command(program, &[]);
    text.replace("\"ccctl hook\"", &json(&hook))
        .replace("\"ccctl\"", &json(program))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{DEFAULT_EVENTS, parsed_line};
    use crate::hooks::settings::{installed, parse};
    use serde_json::Value;

    fn file(name: &str) -> &'static str {
        FILES.iter().find(|(found, _)| *found == name).unwrap().1
    }

    #[test]
    fn the_plugin_has_the_hooks_that_are_installed_and_the_mcp_server() {
        let (hooks, manifest) = ("hooks/hooks.json", ".claude-plugin/plugin.json");
        let placed = |name| calling("/a \"b\"/ccctl", name, file(name));
        for (hooks, command, manifest, program) in [
            (
                file(hooks).to_owned(),
                "ccctl hook",
                file(manifest).to_owned(),
                "ccctl",
            ),
            (
                placed(hooks),
                "'/a \"b\"/ccctl' hook",
                placed(manifest),
                "/a \"b\"/ccctl",
            ),
        ] {
            let found = installed(&parse(&hooks).unwrap());
            assert!(
                found
                    .iter()
                    .map(|found| &*found.event)
                    .eq(DEFAULT_EVENTS.iter().copied())
            );
            assert!(found.iter().all(|found| found.command == command));
            let manifest: Value = serde_json::from_str(&manifest).unwrap();
            assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
            let server = serde_json::json!({"command": program, "args": ["mcp"]});
            assert_eq!(manifest["mcpServers"]["ccd"], server);
        }
        // Texts call it by its path too.
        let text = placed("commands/coach.md");
        let rule = "Bash('/a \"b\"/ccctl' coach review:*)";
        assert!(text.contains(rule), "{text}");
        assert!(
            !text.contains(" ccctl ") && !text.contains("`ccctl "),
            "{text}"
        );
    }

    #[test]
    fn every_command_that_the_plugin_names_is_one() {
        let mut count = 0;
        for (name, text) in FILES.iter().filter(|(name, _)| name.ends_with(".md")) {
            for line in text.split(['`', '\n', '(', ')']).map(str::trim) {
                let rule = line.strip_suffix(":*");
                let Some(words) = rule.unwrap_or(line).strip_prefix("ccctl ") else {
                    continue;
                };
                let parsed = parsed_line(words);
                // A rule is the start of a command: what has to follow it may be missing.
                let is_right = parsed.is_ok()
                    || rule.is_some() && parsed.unwrap_err().to_string().contains("required");
                assert!(is_right, "{name}: {line}");
                count += 1;
            }
        }
        assert!(count > 20, "{count}");
    }
}
