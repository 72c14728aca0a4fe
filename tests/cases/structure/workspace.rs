//! The packages of a workspace, according to their manifests.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A package of the workspace.
#[derive(Debug, Clone)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) folder: PathBuf,
    pub(super) dependencies: Vec<Dependency>,
}

#[derive(Debug, Clone)]
pub(super) struct Dependency {
    pub(super) package: String,
    /// True unless the dependency is only for tests or for the build.
    pub(super) is_normal: bool,
}

/// Reads the manifests of all packages of the workspace in `root`.
pub(super) fn packages(root: &Path) -> Vec<Package> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline"])
        .args(["--format-version", "1"])
        .current_dir(root)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let all: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let dependency = |value: &Value| Dependency {
        package: text(&value["name"]),
        is_normal: value["kind"].is_null(),
    };
    let package = |value: &Value| {
        let manifest = Path::new(value["manifest_path"].as_str().unwrap());
        let dependencies = value["dependencies"].as_array().unwrap().iter();
        Package {
            name: text(&value["name"]),
            folder: manifest.parent().unwrap().to_owned(),
            dependencies: dependencies.map(dependency).collect(),
        }
    };
    let packages = all["packages"].as_array().unwrap();
    packages.iter().map(package).collect()
}
