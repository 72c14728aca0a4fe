//! Reads test results and the environment back from the file.

use super::escape::unescape;
use super::line::{bold, field, numbered, placed};
use super::parse::Reader;
use super::sections::{Line, parts};
use ccd_protocol::memory::{
    BuildStatus, DependencyStatus, EnvironmentState, ServerInfo, TestFailure, TestResults,
    TestSuite,
};

impl Reader {
    pub(super) fn tests(&mut self, lines: &[Line<'_>]) {
        let mut results = TestResults::default();
        for (heading, lines) in parts(lines) {
            match heading {
                "" => {
                    for line in lines {
                        match field(line.text, "Last Run") {
                            Some(time) => results.last_run = self.time_or_never(time, line),
                            None => self.unknown(line, "fact about tests"),
                        }
                    }
                }
                "Unit Tests" => results.unit = self.suite(&lines),
                "E2E Tests" => results.e2e = self.suite(&lines),
                _ => self.warn(format!("{heading:?} is no suite of tests; it was left out")),
            }
        }
        self.parsed.memory.test_results = results;
    }

    fn suite(&mut self, lines: &[Line<'_>]) -> TestSuite {
        let mut suite = TestSuite::default();
        for line in lines {
            let text = line.text;
            if let Some(value) = field(text, "Framework") {
                suite.framework = unescape(value);
            } else if let Some(value) = field(text, "Status") {
                suite.status = self.word(value, *line);
            } else if let Some(value) = field(text, "Command") {
                suite.command = unescape(value);
            } else if let Some(value) = field(text, "Results") {
                if figures(value, &mut suite).is_none() {
                    self.unread(*line, "count of tests");
                }
            } else if let Some(value) = field(text, "Message") {
                match suite.failures.last_mut() {
                    Some(failure) => failure.message = Some(unescape(value)),
                    None => self.unread(*line, "message of a failure"),
                }
            } else if let Some(entry) = numbered(text) {
                match failure(entry) {
                    Some(failure) => suite.failures.push(failure),
                    None => self.unread(*line, "failure"),
                }
            } else if field(text, "Failures").is_none() {
                self.unknown(*line, "fact about tests");
            }
        }
        suite
    }

    pub(super) fn environment(&mut self, lines: &[Line<'_>]) {
        let mut environment = EnvironmentState::default();
        for (heading, lines) in parts(lines) {
            match heading {
                "Servers" => environment.servers = self.servers(&lines),
                "Dependencies" => environment.dependencies = self.dependencies(&lines),
                "Build" => environment.build = self.build(&lines),
                _ => lines
                    .into_iter()
                    .for_each(|line| self.unknown(line, "part of the environment")),
            }
        }
        self.parsed.memory.environment = environment;
    }

    fn servers(&mut self, lines: &[Line<'_>]) -> Vec<ServerInfo> {
        let mut servers = Vec::new();
        for line in lines {
            match line
                .text
                .strip_prefix("- ")
                .and_then(|entry| self.server(entry, *line))
            {
                Some(server) => servers.push(server),
                None => self.unknown(*line, "server"),
            }
        }
        servers
    }

    fn server(&mut self, entry: &str, line: Line<'_>) -> Option<ServerInfo> {
        let (process, rest) = bold(entry)?;
        let (facts, url) = rest.strip_prefix(", port ")?.split_once(':')?;
        let mut facts = facts.split(", ");
        let port = facts.next()?.parse().ok()?;
        let status = self.word(facts.next()?, line);
        let pid = match facts.next() {
            Some(pid) => Some(pid.strip_prefix("pid ")?.parse().ok()?),
            None => None,
        };
        Some(ServerInfo {
            process,
            port,
            url: unescape(url.trim()),
            pid,
            status,
        })
    }

    fn dependencies(&mut self, lines: &[Line<'_>]) -> DependencyStatus {
        let mut found = DependencyStatus::default();
        for line in lines {
            let text = line.text;
            if let Some(value) = field(text, "Status") {
                found.status = self.word(value, *line);
            } else if let Some(value) = field(text, "Package Manager") {
                found.package_manager = self.word(value, *line);
            } else if let Some(value) = field(text, "Tool") {
                found.tool = Some(unescape(value));
            } else if let Some(value) = field(text, "Last Install") {
                found.last_install = self.time_or_never(value, *line);
            } else if let Some(value) = field(text, "Outdated") {
                found.outdated_count = value.parse().ok();
            } else {
                self.unknown(*line, "fact about dependencies");
            }
        }
        found
    }

    fn build(&mut self, lines: &[Line<'_>]) -> BuildStatus {
        let mut found = BuildStatus::default();
        for line in lines {
            let text = line.text;
            if let Some(value) = field(text, "Status") {
                found.status = self.word(value, *line);
            } else if let Some(value) = field(text, "Last Build") {
                found.last_build = self.time_or_never(value, *line);
            } else if let Some(value) = field(text, "Output") {
                found.output_dir = Some(unescape(value));
            } else if field(text, "Errors").is_some() {
                found.errors.get_or_insert_default();
            } else if let (Some(error), Some(errors)) = (numbered(text), &mut found.errors) {
                errors.push(unescape(error));
            } else {
                self.unknown(*line, "fact about the build");
            }
        }
        found
    }
}

/// Reads `**file** (line N): test`; without a file, `test`.
fn failure(entry: &str) -> Option<TestFailure> {
    let (file, line, test_name) = match bold(entry) {
        Some((file, rest)) => {
            let (line, test_name) = placed(rest)?;
            (file, line, test_name)
        }
        None => (String::new(), None, unescape(entry)),
    };
    Some(TestFailure {
        file,
        line,
        test_name,
        message: None,
    })
}

/// Reads `passed/total passed (percentage%), failed failed`.
fn figures(text: &str, suite: &mut TestSuite) -> Option<()> {
    let (passed, rest) = text.split_once('/')?;
    let (total, rest) = rest.split_once(" passed (")?;
    let (percentage, rest) = rest.split_once("%), ")?;
    let failed = rest.strip_suffix(" failed")?;
    let percentage: f64 = percentage.parse().ok()?;
    suite.passed = passed.parse().ok()?;
    suite.total = total.parse().ok()?;
    suite.failed = failed.parse().ok()?;
    suite.percentage = Some(percentage).filter(|value| value.is_finite())?;
    Some(())
}
