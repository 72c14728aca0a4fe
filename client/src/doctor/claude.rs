//! Claude Code, our plugin and our MCP server as far as files tell: running it takes longer than everything else.

use crate::check::{Check, checks as found, shown};
use crate::fields::Fields as _;
use crate::hooks::{Plugin, Survey, user_folder};
use crate::named_file;
use crate::program::{can_run, on_path};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::path::Path;

pub(super) fn checks(survey: &Survey) -> Vec<Check> {
    let plugin = survey.plugin.as_ref();
    [
        found("claude", claude()),
        found("plugin", plugin.map_or_else(|| json!({}), self::plugin)),
        found("mcp", mcp(plugin)),
    ]
    .concat()
}

fn plugin(plugin: &Plugin) -> Value {
    let manifest = plugin.manifest();
    let program = manifest.at("mcpServers.ccd.command").as_str();
    json!({
        "id": plugin.id,
        "folder": plugin.folder.as_ref().map(shown),
        "program": program,
        "can_run": program.is_some_and(can_run),
        "manifest": manifest,
    })
}

/// Whether Claude Code knows the MCP server, which is not necessary.
fn mcp(plugin: Option<&Plugin>) -> Value {
    let is_in_plugin = plugin.is_some_and(|plugin| server(&plugin.manifest()).is_some());
    // The user's file is in the directory of the settings only if that directory was chosen.
    let chosen = std::env::var_os("CLAUDE_CONFIG_DIR").is_some_and(|folder| !folder.is_empty());
    let folder = user_folder().and_then(|folder| {
        if chosen {
            Some(folder)
        } else {
            folder.parent().map(Path::to_owned)
        }
    });
    let user = folder.map(|folder| folder.join(".claude.json"));
    let here = std::env::current_dir().unwrap_or_default();
    let read = |path: &Path| {
        let text = named_file::read(path).unwrap_or_default();
        serde_json::from_slice::<Value>(&text).unwrap_or_default()
    };
    let user = user.as_deref().map(read).unwrap_or_default();
    let project = &user["projects"][here.to_string_lossy().as_ref()];
    let shared = read(&here.join(".mcp.json"));
    let (name, program) = [&user, project, &shared]
        .into_iter()
        .find_map(server)
        .unzip();
    json!({
        "in_plugin": is_in_plugin,
        "name": name,
        "program": program,
        "can_run": program.is_some_and(can_run),
    })
}

/// Returns the name of the server in a document that is `ccctl mcp`, and its program.
fn server(document: &Value) -> Option<(&str, &str)> {
    let servers = document["mcpServers"].as_object()?;
    servers.iter().find_map(|(name, server)| {
        let program = server["command"].as_str()?;
        let is_ours = Path::new(program).file_name() == Some(OsStr::new("ccctl"));
        let has_verb = server["args"].as_array()?.iter().any(|word| word == "mcp");
        (is_ours && has_verb).then_some((&**name, program))
    })
}

fn claude() -> Value {
    let path = on_path(OsStr::new("claude"));
    json!({
        "version": path.as_deref().and_then(version_of),
        "path": path.map(shown),
        "settings": user_folder().map(shown),
    })
}

/// The version of the program at `path`: the name of the file that it links to (`versions/2.1.0`), or that of its package.
fn version_of(path: &Path) -> Option<String> {
    let real = path.canonicalize().ok()?;
    let mut names = real.iter().rev().take(2).filter_map(OsStr::to_str);
    let named = names.find(|name| is_version(name)).map(str::to_owned);
    named.or_else(|| {
        // .../claude-code/cli.js, or .../claude-code/bin/claude.
        let packages = real.ancestors().skip(1).take(2);
        packages.filter_map(of_package).next()
    })
}

fn of_package(folder: &Path) -> Option<String> {
    let text = named_file::read(&folder.join("package.json")).ok()?;
    let package: Value = serde_json::from_slice(&text).ok()?;
    let is_it = package["name"].as_str()?.contains("/claude-code");
    package["version"]
        .as_str()
        .filter(|_| is_it)
        .map(str::to_owned)
}

fn is_version(name: &str) -> bool {
    let parts: Vec<&str> = name.split('.').collect();
    parts.len() == 3 && parts.iter().all(|part| part.parse::<u32>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn the_version_is_found_in_the_path_or_the_package() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("versions")).unwrap();
        fs::create_dir_all(path("claude-code/bin")).unwrap();
        fs::write(path("versions/2.1.197"), "").unwrap();
        symlink(path("versions/2.1.197"), path("claude")).unwrap();
        assert_eq!(version_of(&path("claude")).as_deref(), Some("2.1.197"));
        for name in ["claude-code", "claude-code-linux-x64"] {
            let package = format!("{{\"name\": \"@anthropic-ai/{name}\", \"version\": \"2.1.9\"}}");
            fs::write(path("claude-code/package.json"), package).unwrap();
            for program in ["claude-code/cli.js", "claude-code/bin/claude"] {
                fs::write(path(program), "").unwrap();
                assert_eq!(version_of(&path(program)).as_deref(), Some("2.1.9"));
            }
        }
        fs::write(path("other"), "").unwrap();
        assert_eq!(version_of(&path("other")), None);
        assert_eq!(version_of(&path("none")), None);
    }

    #[test]
    fn the_plugin_must_be_of_this_version_and_its_program_be_there() {
        use crate::check::CheckState;
        let folder = tempfile::tempdir().unwrap();
        let found = Plugin {
            id: "ccd@skills-dir".into(),
            folder: Some(folder.path().to_owned()),
        };
        let state = |manifest: &str| {
            let path = folder.path().join(".claude-plugin");
            fs::create_dir_all(&path).unwrap();
            fs::write(path.join("plugin.json"), manifest).unwrap();
            super::found("plugin", plugin(&found))[0].state
        };
        let servers = |program: &str| {
            let servers = json!({"ccd": {"command": program}});
            json!({"version": env!("CARGO_PKG_VERSION"), "mcpServers": servers}).to_string()
        };
        assert_eq!(state(&servers("/bin/sh")), CheckState::Ok);
        assert_eq!(state(&servers("sh")), CheckState::Ok);
        assert_eq!(state(&servers("/no/ccctl")), CheckState::Wrong);
        assert_eq!(state("{\"version\": \"0.0.1\"}"), CheckState::Warning);
    }

    #[test]
    fn our_server_is_known_by_its_command() {
        for (servers, is_ours) in [
            (r#"{"x": {"command": "/bin/ccctl", "args": ["mcp"]}}"#, true),
            (
                r#"{"x": {"command": "ccctl", "args": ["-v", "mcp"]}}"#,
                true,
            ),
            (r#"{"ccd": {"command": "ccctl", "args": ["ls"]}}"#, false),
            (r#"{"ccd": {"url": "http://localhost"}}"#, false),
            ("[]", false),
        ] {
            let document = format!("{{\"mcpServers\": {servers}}}");
            let document = serde_json::from_str(&document).unwrap();
            assert_eq!(server(&document).is_some(), is_ours, "{servers}");
        }
    }
}
