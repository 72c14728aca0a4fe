//! Whether what is installed is what the manifest asks for, from the disk alone.

use super::facts::{Sourced, stamp};
use super::project::Project;
use crate::disk::{MANIFEST_BYTES, modified, names, read};
use ccd_protocol::memory::{DependencyState, DependencyStatus, PackageManager};
use std::path::Path;
use std::time::{Instant, SystemTime};

/// A tool: its name, its lock files, its manifest, and where it installs. Names of files are separated by blanks.
type Tool = [&'static str; 4];

/// Returns the tools of `tools.txt`.
fn tools() -> impl Iterator<Item = Tool> {
    let lines = include_str!("tools.txt").lines().skip(1);
    lines.filter_map(|line| line.split(", ").collect::<Vec<_>>().try_into().ok())
}

/// Returns what the memory calls a tool: it has words for those of JavaScript only.
fn manager(tool: &str) -> PackageManager {
    serde_json::from_value(tool.into()).unwrap_or_default()
}

/// Returns the tool whose lock file was changed last, with that file and its time.
fn used(root: &Path) -> Option<(Tool, &'static str, SystemTime)> {
    let locks = |tool: Tool| tool[1].split(' ').map(move |lock| (tool, lock));
    let found = tools().flat_map(locks);
    let found = found.filter_map(|(tool, lock)| Some((tool, lock, modified(&root.join(lock))?)));
    let named = named_manager(root);
    // JavaScript comes first. `max_by_key` takes the last of equals.
    found.max_by_key(|([name, ..], _, time)| (named == Some(name), is_node(name), *time))
}

fn is_node(tool: &str) -> bool {
    manager(tool) != PackageManager::Unknown
}

fn json(root: &Path, path: &Path) -> Option<serde_json::Value> {
    serde_json::from_slice(&read(root, path, MANIFEST_BYTES).ok()?.bytes).ok()
}

/// Returns the package manager that `packageManager` of the manifest names: its lock file may be older than that of another.
fn named_manager(root: &Path) -> Option<&'static str> {
    let manifest = json(root, Path::new("package.json"))?;
    let (name, _) = manifest["packageManager"].as_str()?.split_once('@')?;
    let mut names = tools().map(|[tool, ..]| tool);
    names.find(|tool| *tool == name)
}

pub(super) fn manager_of(root: &Path) -> Option<&'static str> {
    let own = |root: &Path| {
        let by_lock = || used(root).map(|([tool, ..], ..)| tool);
        named_manager(root).or_else(|| by_lock().filter(|tool| is_node(tool)))
    };
    // A package of a workspace has neither: the top of the repository has.
    let is_top = |folder: &Path| folder.join(".git").exists();
    let top = root.ancestors().position(is_top).unwrap_or(0);
    root.ancestors().take(top + 1).find_map(own)
}

pub(super) fn dependencies(project: &Project) -> Result<Sourced<DependencyStatus>, String> {
    let root = &project.root;
    let Some(([tool, _, manifest, installed], lock, locked)) = used(root) else {
        return Ok(Sourced::nothing("no lock file"));
    };
    let is_node = is_node(tool);
    let mut folders = installed.split(' ').map(|path| root.join(path));
    let installed = folders.clone().find_map(|path| modified(&path));
    let (looked_at, outdated) = if is_node {
        count(root, project.deadline)
    } else {
        (0, 0)
    };
    let is_old = modified(&root.join(manifest)) > Some(locked)
        || (is_node && installed.is_some_and(|installed| installed < locked));
    let about = root.join(lock).symlink_metadata();
    let is_filled = about.is_ok_and(|about| about.len() > 0);
    // An empty lock file does not show what is installed, and neither does a list of wishes.
    let is_evident = match tool {
        "maven" => false,
        "gradle" => is_filled && lock == "gradle.lockfile",
        "pip" => folders.any(|venv| has_packages(&venv, locked)),
        "cargo" | "go" => is_filled,
        _ => is_filled && installed.is_some(),
    };
    let status = match (is_old || outdated > 0, is_evident) {
        (true, _) => DependencyState::Outdated,
        (false, true) => DependencyState::UpToDate,
        (false, false) => DependencyState::Unknown,
    };
    let value = DependencyStatus {
        status,
        last_install: installed.map(stamp),
        package_manager: manager(tool),
        outdated_count: (looked_at > 0).then_some(outdated),
        tool: (!is_node).then(|| tool.to_owned()),
    };
    Ok(Sourced::new(value, lock, Some(stamp(locked))))
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

/// Returns how many installed packages were looked at, and how many have a version that the manifest does not allow.
fn count(root: &Path, deadline: Instant) -> (u64, u64) {
    let manifest = json(root, Path::new("package.json")).unwrap_or_default();
    let lists = ["dependencies", "devDependencies"].into_iter();
    let packages = lists.flat_map(|list| manifest[list].as_object().into_iter().flatten());
    let packages = packages.take_while(|_| Instant::now() < deadline);
    let fits = packages.filter_map(|(name, range)| {
        // Packages that are links, as those of pnpm, are not looked at.
        let path = Path::new("node_modules").join(name).join("package.json");
        let package = json(root, &path)?;
        fits(package["version"].as_str()?, range.as_str()?)
    });
    fits.fold((0, 0), |(looked_at, outdated), fits| {
        (looked_at + 1, outdated + u64::from(!fits))
    })
}

/// Says whether a version is in a range of npm; nothing for ranges of other kinds (tags, addresses, workspaces) and previews.
fn fits(version: &str, range: &str) -> Option<bool> {
    let version = numbers(version)?;
    let mut fits = false;
    for part in range.split("||") {
        let mut is_inside = true;
        for bound in part.split_whitespace() {
            let start = bound.find(|c: char| !"<>=^~".contains(c))?;
            let (operator, bound) = bound.split_at(start);
            let bound = numbers(bound)?;
            let found = version.get(..bound.len())?;
            let is_like = |len: usize| found >= &*bound && found[..len] == bound[..len];
            let first_used = bound.iter().position(|number| *number > 0);
            is_inside &= match operator {
                "<" => found < &*bound,
                "<=" => found <= &*bound,
                ">" => found > &*bound,
                ">=" => found >= &*bound,
                "~" => is_like(bound.len().min(2)),
                "^" => is_like(first_used.map_or(bound.len(), |at| at + 1)),
                _ => found == &*bound,
            };
        }
        fits |= is_inside;
    }
    Some(fits)
}

/// Returns the numbers of a version, or those before the first that may be any.
fn numbers(version: &str) -> Option<Vec<u64>> {
    let numbers = version.split('.').take_while(|part| !is_any(part));
    numbers.map(|part| part.parse().ok()).collect()
}

fn is_any(part: &str) -> bool {
    matches!(part, "*" | "x" | "X")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn ranges_of_npm() {
        for (range, expected) in [
            ("^2.0.0", true),
            ("~2.0.0", false),
            ("2.1.9", true),
            ("2.1.0", false),
            (">=2 <3", true),
            ("^1 || ^2", true),
            ("2.x", true),
            ("*", true),
            ("", true),
            ("2", true),
            ("2.0", false),
            ("~2", true),
            ("<2", false),
            ("<=2", true),
            (">2.1", false),
            ("^0.1.9", false),
            ("=2.1.9", true),
        ] {
            assert_eq!(fits("2.1.9", range), Some(expected), "{range}");
        }
        for range in ["workspace:*", "latest", ">= 2", "2.1.9-rc.1", "1.2.3.4"] {
            assert_eq!(fits("2.1.9", range), None, "{range}");
        }
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
            let deadline = Instant::now() + Duration::from_secs(60);
            let project = Project::find(folder.path(), deadline).unwrap();
            dependencies(&project).unwrap().value.status
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
        ] {
            assert_eq!(status(files), DependencyState::UpToDate, "{files:?}");
        }
    }
}
