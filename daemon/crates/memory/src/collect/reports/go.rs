//! `go test -json`, one event a line, and what `go test` prints without it.

use super::{Origin, SuiteFacts, facts_of, failure, finish, pattern, time_of};
use crate::collect::manifest::go_module;
use ccd_protocol::memory::TestFailure;
use regex::Regex;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::LazyLock;

#[derive(Default)]
struct Package {
    ends: Vec<(String, bool)>,
    /// By test; without a name, of the package itself.
    output: HashMap<String, String>,
    is_failed: bool,
}

#[derive(Default)]
struct Run {
    packages: BTreeMap<String, Package>,
    /// What the compiler said, by package.
    builds: HashMap<String, String>,
    /// Packages that passed, where no tests are named.
    passed_packages: u64,
    start: Option<String>,
}

/// Reads the events; nothing if they are others.
pub(super) fn events(origin: Origin<'_>, text: &str) -> Option<SuiteFacts> {
    let mut run = Run::default();
    for line in text.lines() {
        let Ok(event) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let field = |name: &str| event[name].as_str().unwrap_or_default();
        let (test, output) = (field("Test").to_owned(), field("Output"));
        // `PACKAGE [PACKAGE.test]`
        let build = field("ImportPath").split(' ').next().unwrap_or_default();
        let package = run.packages.entry(field("Package").to_owned());
        let package = package.or_default();
        match event["Action"].as_str()? {
            "output" => *package.output.entry(test).or_default() += output,
            "build-output" => *run.builds.entry(build.to_owned()).or_default() += output,
            "fail" if test.is_empty() => package.is_failed = true,
            end @ ("pass" | "fail") if !test.is_empty() => package.ends.push((test, end == "pass")),
            _ => (),
        }
        run.start = run.start.or_else(|| time_of(field("Time")));
    }
    run.facts(origin)
}

/// The start of a build or a test, the end of a test, the end of a package.
static LINE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^(?:# (?P<build>\S+)|=== \w+ +(?P<start>\S+)|\s*--- (?:PASS: (?P<passed>\S+)|FAIL: (?P<failed>\S+)) \(",
        r"|(?P<result>FAIL|ok)\s+(?P<package>\S+)\s+(?:\[(?:build|setup) failed\]|\(cached\)|[\d.]+s))"
    ))
});

/// Reads what `go test` prints, with `-v` or without; nothing if it did not.
pub(super) fn printed(origin: Origin<'_>, text: &str) -> Option<SuiteFacts> {
    let mut run = Run::default();
    // Tests are of the package whose line comes after them.
    let mut package = Package::default();
    let (mut test, mut build) = (String::new(), None);
    for line in text.lines() {
        let found = LINE.captures(line);
        let group = |name: &str| Some(found.as_ref()?.name(name)?.as_str().to_owned());
        if found.is_some() {
            build = group("build");
        }
        if let Some(passed) = group("passed") {
            test.clear();
            package.ends.push((passed, true));
        } else if let Some(failed) = group("failed") {
            // Without `-v`, what it printed comes after its end.
            test.clone_from(&failed);
            package.ends.push((failed, false));
        } else if let Some(start) = group("start") {
            test = start;
        } else if let Some(name) = group("package") {
            package.is_failed = group("result").as_deref() == Some("FAIL");
            *package.output.entry(String::new()).or_default() += line;
            run.passed_packages += u64::from(!package.is_failed);
            run.packages.insert(name, std::mem::take(&mut package));
            test.clear();
        } else {
            let output = match &build {
                Some(build) => run.builds.entry(build.clone()),
                None => package.output.entry(test.clone()),
            };
            output.or_default().extend([line, "\n"]);
        }
    }
    run.packages.insert(String::new(), package);
    run.facts(origin)
}

impl Run {
    /// A test with subtests counts only if none of them does. A package that failed without a test of it counts as one: it does
    /// not compile, or it ended too early. Nothing if no package and no test ended.
    fn facts(self, origin: Origin<'_>) -> Option<SuiteFacts> {
        let module = go_module(&origin.root.join(origin.module));
        let mut facts = facts_of("go test");
        let (mut passed, mut failures) = (0, 0);
        for (name, package) in &self.packages {
            let said = |test: &str| package.output.get(test).map_or("", String::as_str);
            let mut fail = |test: &str, said: &str| {
                let failed = failed(origin, module.as_deref(), name, test, said);
                failures += 1;
                facts.add(failed);
            };
            let parent = |(test, _): &(String, bool)| Some(test.rsplit_once('/')?.0.to_owned());
            let parents: HashSet<String> = package.ends.iter().filter_map(parent).collect();
            for (test, is_passed) in &package.ends {
                if parents.contains(test) {
                    continue;
                }
                if *is_passed {
                    passed += 1;
                } else {
                    fail(test, said(test));
                }
            }
            if package.is_failed && package.ends.iter().all(|(_, is_passed)| *is_passed) {
                let printed = said("");
                let test = if printed.contains(" failed]") {
                    format!("{name} (build failed)")
                } else {
                    name.clone()
                };
                fail(&test, self.builds.get(name).map_or(printed, String::as_str));
            }
        }
        let suite = &mut facts.suite;
        (suite.passed, suite.failed) = (passed, failures);
        // Without `-v`, only packages that passed are named.
        if suite.passed == 0 && self.passed_packages > 0 {
            suite.passed = self.passed_packages;
            suite.framework = "go test, passed packages".to_owned();
        }
        facts.last_run = self.start;
        (suite.passed + suite.failed > 0).then(|| finish(facts))
    }
}

/// The message is the first line that names a file or the panic, else the first that says something.
fn failed(
    origin: Origin<'_>,
    module: Option<&str>,
    package: &str,
    test: &str,
    output: &str,
) -> TestFailure {
    const MARKS: [&str; 6] = ["===", "---", "# ", "FAIL", "PASS", "exit status"];
    let is_said =
        |line: &&str| !line.is_empty() && !MARKS.iter().any(|mark| line.starts_with(mark));
    let mut lines = output.lines().map(str::trim).filter(is_said).peekable();
    let first = lines.peek().copied().unwrap_or_default();
    let said = lines.find(|line| line.starts_with("panic:") || origin.first(line).is_some());
    let said = said.unwrap_or(first);
    // Go names files without their directory: it is that of the package, after the name of the module.
    let folder = module.and_then(|module| Path::new(package).strip_prefix(module).ok());
    let place = match (origin.first(said), folder) {
        (Some((file, line)), Some(folder)) if !file.contains('/') => {
            (origin.file(&folder.join(file).to_string_lossy()), line)
        }
        (Some(place), _) => place,
        (None, _) => (package.to_owned(), None),
    };
    // The place is told beside the message.
    let said = match said.split_once(": ") {
        Some((place, rest)) if place.contains(".go:") && !place.contains(' ') => rest,
        _ => said,
    };
    failure(test, place, said)
}
