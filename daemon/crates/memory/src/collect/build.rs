//! When the project was built last, from its output.

use super::facts::{CollectedPart, Sourced, stamp};
use super::project::{Collector, Project};
use super::read::modified;
use ccd_protocol::memory::{BuildState, BuildStatus};
use std::time::Instant;

pub(super) struct BuildCollector;

/// Directories of output, with the files beside which they are some; the empty name is the project itself.
const OUTPUTS: [(&str, &str); 8] = [
    (".next", "package.json"),
    (".nuxt", "package.json"),
    (".output", "package.json"),
    ("dist", ""),
    ("build", BUILDS),
    ("out", "package.json build.xml"),
    ("target", "Cargo.toml pom.xml"),
    ("bin", "go.mod"),
];
const BUILDS: &str =
    "package.json build.gradle build.gradle.kts CMakeLists.txt Makefile setup.py pyproject.toml";

impl Collector for BuildCollector {
    fn name(&self) -> &'static str {
        "build"
    }

    fn collect(&self, project: &Project, _deadline: Instant) -> Result<CollectedPart, String> {
        let root = &project.root;
        let found = OUTPUTS.iter().find_map(|(name, beside)| {
            let path = root.join(name);
            let mut beside = beside.split(' ').map(|file| root.join(file));
            let is_output = path.is_dir() && beside.any(|file| file.exists());
            Some((name, modified(&path).filter(|_| is_output)?))
        });
        let Some((name, time)) = found else {
            let nothing = Sourced::new(BuildStatus::default(), "no directory of output", None);
            return Ok(CollectedPart::Build(nothing));
        };
        let at = Some(stamp(time));
        let value = BuildStatus {
            status: BuildState::Success,
            last_build: at.clone(),
            output_dir: Some(format!("{name}/")),
            errors: None,
        };
        Ok(CollectedPart::Build(Sourced::new(
            value,
            format!("{name}/"),
            at,
        )))
    }
}
