//! When the project was built last, from its output.

use super::facts::{Part, Sourced, stamp};
use super::project::{Collector, Project};
use super::read::modified;
use ccd_protocol::memory::{BuildState, BuildStatus};
use std::time::Instant;

pub(super) struct BuildCollector;

/// Directories of output; with the files beside which they are some.
const OUTPUTS: [(&str, &[&str]); 8] = [
    (".next", &["package.json"]),
    (".nuxt", &["package.json"]),
    (".output", &["package.json"]),
    ("dist", &[]),
    (
        "build",
        &[
            "package.json",
            "build.gradle",
            "build.gradle.kts",
            "CMakeLists.txt",
            "Makefile",
            "setup.py",
            "pyproject.toml",
        ],
    ),
    ("out", &["package.json", "build.xml"]),
    ("target", &["Cargo.toml", "pom.xml"]),
    ("bin", &["go.mod"]),
];

impl Collector for BuildCollector {
    fn name(&self) -> &'static str {
        "build"
    }

    fn collect(&self, project: &Project, _deadline: Instant) -> Result<Part, String> {
        let root = &project.root;
        let found = OUTPUTS.iter().find_map(|(name, beside)| {
            let path = root.join(name);
            let is_output =
                beside.is_empty() || beside.iter().any(|file| root.join(file).is_file());
            let is_folder = path.symlink_metadata().is_ok_and(|about| about.is_dir());
            (is_output && is_folder).then(|| Some((format!("{name}/"), modified(&path)?)))?
        });
        let Some((output, time)) = found else {
            let source = "no directory of output".to_owned();
            return Ok(Part::Build(Sourced {
                source,
                ..Sourced::default()
            }));
        };
        let at = Some(stamp(time));
        let value = BuildStatus {
            status: BuildState::Success,
            last_build: at.clone(),
            output_dir: Some(output.clone()),
            errors: None,
        };
        Ok(Part::Build(Sourced {
            value,
            source: output,
            at,
        }))
    }
}
