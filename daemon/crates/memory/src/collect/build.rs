//! When the project was built last, from its output.

use super::facts::{Sourced, stamp};
use super::paths::known;
use super::project::Project;
use crate::disk::modified;
use ccd_protocol::memory::{BuildState, BuildStatus};

pub(super) fn build(project: &Project) -> Result<Sourced<BuildStatus>, String> {
    let root = &project.root;
    let found = known("output").find_map(|line| {
        let (name, beside) = line.split_once(' ')?;
        let path = root.join(name);
        let mut beside = beside.split(' ').map(|file| root.join(file));
        let is_output = path.is_dir() && beside.any(|file| file.exists());
        Some((format!("{name}/"), modified(&path).filter(|_| is_output)?))
    });
    let Some((name, time)) = found else {
        return Ok(Sourced::nothing("no directory of output"));
    };
    let at = Some(stamp(time));
    let value = BuildStatus {
        status: BuildState::Success,
        last_build: at.clone(),
        output_dir: Some(name.clone()),
        errors: None,
    };
    Ok(Sourced::new(value, name, at))
}
