//! Whether what is installed is what the manifest asks for, from the disk alone.

use super::facts::{Part, Sourced, stamp};
use super::manifest::MANIFEST_BYTES;
use super::project::{Collector, Project};
use super::read::{modified, names, read};
use ccd_protocol::memory::{DependencyState, DependencyStatus, PackageManager};
use semver::{Version, VersionReq};
use std::path::Path;
use std::time::{Instant, SystemTime};

pub(super) struct DependencyCollector;

/// A tool: its lock file, its manifest, and where it installs.
struct Tool {
    name: &'static str,
    manager: PackageManager,
    locks: &'static [&'static str],
    manifest: &'static str,
    /// The first that is there says when something was installed.
    installed: &'static [&'static str],
}

static TOOLS: [Tool; 12] = [
    node(
        "npm",
        PackageManager::Npm,
        &["package-lock.json", "npm-shrinkwrap.json"],
    ),
    node("yarn", PackageManager::Yarn, &["yarn.lock"]),
    node("pnpm", PackageManager::Pnpm, &["pnpm-lock.yaml"]),
    node("bun", PackageManager::Bun, &["bun.lock", "bun.lockb"]),
    other("cargo", &["Cargo.lock"], "Cargo.toml", &["target"]),
    other("uv", &["uv.lock"], "pyproject.toml", &[".venv"]),
    other("poetry", &["poetry.lock"], "pyproject.toml", &[".venv"]),
    other("pdm", &["pdm.lock"], "pyproject.toml", &[".venv"]),
    other(
        "pip",
        &["requirements.txt"],
        "requirements.txt",
        &[".venv", "venv"],
    ),
    other("go", &["go.sum"], "go.mod", &["vendor"]),
    other("maven", &["pom.xml"], "pom.xml", &["target"]),
    other(
        "gradle",
        &["build.gradle", "build.gradle.kts", "gradle.lockfile"],
        "settings.gradle",
        &["build"],
    ),
];

const fn node(name: &'static str, manager: PackageManager, locks: &'static [&'static str]) -> Tool {
    const INSTALLED: &[&str] = &[
        "node_modules/.package-lock.json",
        "node_modules/.modules.yaml",
        "node_modules/.yarn-integrity",
        "node_modules",
    ];
    Tool {
        name,
        manager,
        locks,
        manifest: "package.json",
        installed: INSTALLED,
    }
}

const fn other(
    name: &'static str,
    locks: &'static [&'static str],
    manifest: &'static str,
    installed: &'static [&'static str],
) -> Tool {
    Tool {
        name,
        manager: PackageManager::Unknown,
        locks,
        manifest,
        installed,
    }
}

/// Returns the tool whose lock file was changed last, with that file and its time.
fn tool(
    root: &Path,
    is_ours: impl Fn(&Tool) -> bool,
) -> Option<(&'static Tool, &'static str, SystemTime)> {
    let locks = TOOLS
        .iter()
        .filter(|tool| is_ours(tool))
        .flat_map(|tool| tool.locks.iter().map(move |lock| (tool, *lock)));
    let found = locks.filter_map(|(tool, lock)| Some((tool, lock, modified(&root.join(lock))?)));
    let named = named_manager(root);
    // JavaScript comes first: the memory has words for it. `max_by_key` takes the last of equals.
    found.max_by_key(|(tool, _, time)| {
        let is_node = tool.manager != PackageManager::Unknown;
        (named == Some(tool.name), is_node, *time)
    })
}

/// Returns the package manager that `packageManager` of the manifest names: its lock file may be older than that of another.
fn named_manager(root: &Path) -> Option<&'static str> {
    let manifest = read(root, Path::new("package.json"), MANIFEST_BYTES).ok()?;
    let manifest: serde_json::Value = serde_json::from_str(&manifest.text()).ok()?;
    let (name, _) = manifest["packageManager"].as_str()?.split_once('@')?;
    let tool = TOOLS.iter().find(|tool| tool.name == name);
    tool.map(|tool| tool.name)
}

/// Returns the package manager of a JavaScript project.
pub(super) fn manager_of(root: &Path) -> Option<&'static str> {
    let own = |root: &Path| {
        let by_lock = tool(root, |tool| tool.manager != PackageManager::Unknown);
        named_manager(root).or(by_lock.map(|(tool, ..)| tool.name))
    };
    // A package of a workspace has neither: the top of the repository has.
    let top = root
        .ancestors()
        .position(|folder| folder.join(".git").exists());
    let mut folders = root.ancestors().take(1 + top.unwrap_or(0));
    folders.find_map(own)
}

impl Collector for DependencyCollector {
    fn name(&self) -> &'static str {
        "dependencies"
    }

    fn collect(&self, project: &Project, deadline: Instant) -> Result<Part, String> {
        let root = &project.root;
        let Some((tool, lock, locked)) = tool(root, |_| true) else {
            let source = "no lock file".to_owned();
            return Ok(Part::Dependencies(Sourced {
                source,
                ..Sourced::default()
            }));
        };
        let installed = tool
            .installed
            .iter()
            .find_map(|path| modified(&root.join(path)));
        let is_node = tool.manager != PackageManager::Unknown;
        let (read, outdated) = if is_node {
            count(root, deadline)
        } else {
            (0, 0)
        };
        let manifest = modified(&root.join(tool.manifest));
        let is_old = manifest.is_some_and(|manifest| manifest > locked)
            || (is_node && installed.is_some_and(|installed| installed < locked));
        let status = match installed {
            _ if is_old || outdated > 0 => DependencyState::Outdated,
            None if is_node => DependencyState::Unknown,
            _ if !is_evidence(root, tool, lock, locked) => DependencyState::Unknown,
            _ => DependencyState::UpToDate,
        };
        let value = DependencyStatus {
            status,
            last_install: installed.map(stamp),
            package_manager: tool.manager,
            outdated_count: (read > 0).then_some(outdated),
            tool: (!is_node).then(|| tool.name.to_owned()),
        };
        Ok(Part::Dependencies(Sourced {
            value,
            source: lock.to_owned(),
            at: Some(stamp(locked)),
        }))
    }
}

/// Says whether the lock file shows what is installed: an empty one does not, and neither does a list of wishes.
fn is_evidence(root: &Path, tool: &Tool, lock: &str, locked: SystemTime) -> bool {
    let is_filled = || {
        let about = root.join(lock).symlink_metadata();
        about.is_ok_and(|about| about.len() > 0)
    };
    match tool.name {
        "maven" => false,
        "gradle" => lock == "gradle.lockfile" && is_filled(),
        "pip" => tool
            .installed
            .iter()
            .any(|venv| has_packages(&root.join(venv), locked)),
        "go" => is_filled() || !requires(root),
        // What is not installed is not up to date.
        "uv" | "poetry" | "pdm" => is_filled() && root.join(".venv").is_dir(),
        _ => is_filled(),
    }
}

/// True if packages were installed in a virtual environment of Python after a time.
fn has_packages(venv: &Path, time: SystemTime) -> bool {
    const MAX_VERSIONS: usize = 20;
    let versions = names(&venv.join("lib"), MAX_VERSIONS).into_iter();
    let mut packages = versions.map(|(name, _)| venv.join("lib").join(name).join("site-packages"));
    packages.any(|packages| {
        let is_new = modified(&packages) >= Some(time);
        is_new && names(&packages, 1).len() == 1
    })
}

/// True if the manifest of a Go module names others.
fn requires(root: &Path) -> bool {
    let manifest = read(root, Path::new("go.mod"), MANIFEST_BYTES);
    manifest.is_ok_and(|manifest| {
        let text = manifest.text();
        text.lines()
            .any(|line| line.trim_start().starts_with("require"))
    })
}

/// Returns how many installed packages were looked at, and how many have a version that the manifest does not allow.
fn count(root: &Path, deadline: Instant) -> (u64, u64) {
    let json = |path: &Path| -> Option<serde_json::Value> {
        serde_json::from_slice(&read(root, path, MANIFEST_BYTES).ok()?.bytes).ok()
    };
    let manifest = json(Path::new("package.json")).unwrap_or_default();
    let (mut looked_at, mut outdated) = (0, 0);
    for list in ["dependencies", "devDependencies"] {
        for (name, range) in manifest[list].as_object().into_iter().flatten() {
            if Instant::now() >= deadline || name.contains("..") {
                return (looked_at, outdated);
            }
            // Packages that are links, as those of pnpm, are not looked at.
            let path = Path::new("node_modules").join(name).join("package.json");
            let version =
                json(&path).and_then(|package| Version::parse(package["version"].as_str()?).ok());
            let (Some(version), Some(range)) = (version, range.as_str()) else {
                continue;
            };
            if let Some(fits) = fits(&version, range) {
                looked_at += 1;
                outdated += u64::from(!fits);
            }
        }
    }
    (looked_at, outdated)
}

/// Says whether a version is in a range of npm; nothing for ranges of other kinds (tags, addresses, workspaces).
fn fits(version: &Version, range: &str) -> Option<bool> {
    let mut fits = false;
    for part in range.split("||") {
        let part = part.trim();
        let is_exact = part.starts_with(|c: char| c.is_ascii_digit())
            && part.matches('.').count() >= 2
            && !part.contains([' ', 'x', '*']);
        let part = match is_exact {
            true => format!("={part}"),
            false => part.split_whitespace().collect::<Vec<_>>().join(", "),
        };
        fits |= VersionReq::parse(if part.is_empty() { "*" } else { &part })
            .ok()?
            .matches(version);
    }
    Some(fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn ranges_of_npm() {
        let version = Version::new(2, 1, 9);
        for (range, expected) in [
            ("^2.0.0", true),
            ("~2.0.0", false),
            ("2.1.9", true),
            ("2.1.0", false),
            (">=2 <3", true),
            ("^1 || ^2", true),
            ("2.x", true),
            ("*", true),
        ] {
            assert_eq!(fits(&version, range), Some(expected), "{range}");
        }
        assert_eq!(fits(&version, "workspace:*"), None);
        assert_eq!(fits(&version, "latest"), None);
    }
    #[test]
    fn without_evidence_the_dependencies_are_not_called_up_to_date() {
        let status = |files: &[(&str, &str)]| {
            let folder = tempfile::tempdir().unwrap();
            // All of a checkout may have the same time.
            let time = SystemTime::now() - Duration::from_secs(3600);
            for (path, content) in files {
                let path = folder.path().join(path);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(&path, content).unwrap();
                let file = std::fs::File::options().append(true).open(path).unwrap();
                file.set_modified(time).unwrap();
            }
            let project = Project::find(folder.path()).unwrap();
            let deadline = Instant::now() + Duration::from_secs(60);
            match DependencyCollector.collect(&project, deadline) {
                Ok(Part::Dependencies(found)) => found.value.status,
                other => panic!("{other:?}"),
            }
        };
        let module = ("go.mod", "module a\n\nrequire b v1.0.0\n");
        for files in [
            &[("build.gradle", "x")][..],
            &[("pom.xml", "<project/>")],
            &[("requirements.txt", "flask\n"), (".venv/x", "")],
            &[("pyproject.toml", ""), ("uv.lock", "")],
            &[module, ("go.sum", "")],
        ] {
            assert_eq!(status(files), DependencyState::Unknown, "{files:?}");
        }
        let installed = ".venv/lib/python3.13/site-packages/flask/__init__.py";
        for files in [
            &[("build.gradle", "x"), ("gradle.lockfile", "x")][..],
            &[("requirements.txt", "flask\n"), (installed, "")],
            &[
                ("pyproject.toml", ""),
                ("uv.lock", "version = 1\n"),
                (installed, ""),
            ],
            &[module, ("go.sum", "b v1.0.0 h1:x\n")],
            &[("go.mod", "module a\n"), ("go.sum", "")],
        ] {
            assert_eq!(status(files), DependencyState::UpToDate, "{files:?}");
        }
    }
}
