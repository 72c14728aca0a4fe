//! Claude Code, our plugin and our MCP server as far as files tell: running it takes longer than everything else.

use crate::check::Check;
use crate::hooks::{Plugin, Survey, is_executable, on_path, user_folder};
use crate::named_file;
use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(super) fn checks(survey: &Survey) -> Vec<Check> {
    let plugin = survey.plugin.as_ref();
    vec![
        claude().of("claude"),
        self::plugin(plugin).of("plugin"),
        mcp(plugin).of("mcp"),
    ]
}

fn plugin(plugin: Option<&Plugin>) -> Check {
    let Some(plugin) = plugin else {
        let text = "not installed; ccctl hooks plugin ~/.claude/skills/ccd installs it";
        return Check::absent(text);
    };
    let Some(folder) = &plugin.folder else {
        return Check::ok(format!("{} is enabled", plugin.id));
    };
    let folder = folder.display();
    let again = format!("run ccctl hooks plugin {folder} again");
    let manifest = plugin.manifest();
    let program = manifest["mcpServers"]["ccd"]["command"].as_str();
    let version = manifest["version"].as_str().unwrap_or("unknown");
    match program {
        _ if version != VERSION => Check::warning(format!(
            "{folder}: version {version}, but ccctl is {VERSION}; {again}"
        )),
        None => Check::warning(format!("{folder}: has no MCP server; {again}")),
        Some(program) if !can_run(program) => Check::wrong(format!(
            "{folder}: calls {program}, which is not a program; {again}"
        )),
        Some(_) => Check::ok(format!("{folder}, version {version}")),
    }
}

/// True for the path of a program, or the name of one on PATH.
fn can_run(program: &str) -> bool {
    if program.contains('/') {
        is_executable(Path::new(program))
    } else {
        on_path(OsStr::new(program)).is_some()
    }
}

/// Whether Claude Code knows the MCP server, which is not necessary.
fn mcp(plugin: Option<&Plugin>) -> Check {
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
    let found = [&user, project, &shared].into_iter().find_map(server);
    match found {
        Some((key, _)) if is_in_plugin => Check::warning(format!(
            "in the plugin and in Claude Code's own configuration, so each tool is listed twice; claude mcp remove {key}"
        )),
        Some((_, program)) if can_run(program) => {
            Check::ok("Claude Code knows it from its own configuration")
        }
        Some((key, program)) => Check::wrong(format!(
            "Claude Code's configuration calls {program}, which is not a program; claude mcp remove {key}, and add it again"
        )),
        None if is_in_plugin => Check::ok("Claude Code knows it from the plugin"),
        None => Check::absent(
            "Claude Code does not know the MCP server; claude mcp add --scope user ccd -- ccctl mcp adds it, and so does the plugin",
        ),
    }
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

fn claude() -> Check {
    let Some(claude) = Claude::find() else {
        return Check::absent("not on PATH; hooks, the plugin and ccctl exec need it");
    };
    let path = claude.path.display();
    let version = match &claude.version {
        Some(version) => format!("version {version}"),
        None => "version unknown; claude --version prints it".to_owned(),
    };
    let settings = user_folder().map(|folder| folder.display().to_string());
    let settings = settings.unwrap_or_else(|| "unknown".to_owned());
    Check::ok(format!("{path}, {version}, settings in {settings}"))
}

#[derive(Debug)]
struct Claude {
    path: PathBuf,
    /// `None` if the files do not tell it.
    version: Option<String>,
}

impl Claude {
    fn find() -> Option<Self> {
        let path = on_path(OsStr::new("claude"))?;
        let version = version_of(&path);
        Some(Self { path, version })
    }
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
            plugin(Some(&found)).state
        };
        let servers = |program: &str| {
            format!(
                "{{\"version\": {VERSION:?}, \"mcpServers\": {{\"ccd\": {{\"command\": {program:?}}}}}}}"
            )
        };
        assert_eq!(state(&servers("/bin/sh")), CheckState::Ok);
        assert_eq!(state(&servers("sh")), CheckState::Ok);
        assert_eq!(state(&servers("/no/ccctl")), CheckState::Wrong);
        assert_eq!(state("{\"version\": \"0.0.1\"}"), CheckState::Warning);
        assert_eq!(plugin(None).state, CheckState::Absent);
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
