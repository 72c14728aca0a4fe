//! What a command line ran: tests, a build, or something else.

use ccd_coach::command::{Connector, Simple, parse};
use ccd_memory::RecordedPurpose;
use std::path::Path;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Command {
    pub(super) purpose: RecordedPurpose,
    /// Program and words.
    pub(super) text: String,
    /// Nothing else is in the line, so that its exit status is the command's own.
    pub(super) is_alone: bool,
    /// The line succeeds only if the command does.
    pub(super) has_to_succeed: bool,
    /// Only some tests are chosen.
    pub(super) is_part: bool,
}

/// Programs that run another one, or a script of the project.
const CARRIERS: &str = "npx bunx pnpx uv poetry pdm pipenv hatch rye python python3 bundle npm pnpm yarn bun deno corepack";
/// Between a carrier and what it runs.
const BETWEEN: &str = "run exec dlx x";
/// Programs whose first word says what they do.
const RUNNERS: &str = "cargo go mvn mvnw gradle gradlew make just rake mix dotnet swift bazel sbt zig composer task turbo nx manage.py";

const UNIT: &str =
    "test tests t nextest verify pytest jest vitest mocha ava jasmine ctest tox nox phpunit rspec";
const E2E: &str = "e2e playwright cypress wdio";
const BUILDS: &str = "build compile tsc javac check typecheck assemble package";

/// Options with which nothing is run.
const NOT_RUN: &str = "--version -V --help -h --collect-only --co --no-run --list -list --listTests --list-tests --dry-run --clearCache \
    --showConfig --init --fixtures --markers";
/// Options that choose some tests.
const CHOOSE: &str = "-k -t -g -m -E -run -Dtest --grep --filter --testNamePattern --test-name-pattern --testPathPattern --testPathPatterns \
    --tests --lf --last-failed --only --onlyFailures --changed --shard --project --deselect";

fn is_in(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}

/// Returns the first command of a line that runs tests or builds in the project at `root`.
pub(super) fn of_line(line: &str, root: &Path) -> Option<Command> {
    let commands = parse(line);
    if commands.first().is_some_and(|first| leaves(first, root)) {
        return None;
    }
    let is_joined = |one: &Simple| matches!(one.connector, Connector::Start | Connector::And);
    let has_to_succeed = commands.iter().all(is_joined) && !line.trim_end().ends_with('&');
    let mut found = commands
        .iter()
        .filter_map(|one| Some((one, of_command(one)?)));
    let (command, (purpose, is_part)) = found.next()?;
    Some(Command {
        purpose,
        text: command.bare_text(),
        is_alone: commands.len() == 1 && has_to_succeed,
        has_to_succeed,
        is_part,
    })
}

/// True for `cd` to a directory elsewhere.
fn leaves(command: &Simple, root: &Path) -> bool {
    let path = command.words.first().map_or("", String::as_str);
    let is_elsewhere = path.starts_with(['/', '~', '$']) && !Path::new(path).starts_with(root);
    command.program == "cd" && is_elsewhere
}

fn of_command(command: &Simple) -> Option<(RecordedPurpose, bool)> {
    let program = command.program.as_str();
    let words = command.words.iter().map(String::as_str);
    let words: Vec<&str> = std::iter::once(program).chain(words).collect();
    if words.iter().any(|word| is_in(NOT_RUN, word)) || (program == "make" && words.contains(&"-n"))
    {
        return None;
    }
    let mut names = (0..).zip(&words).filter(|(_, word)| !word.starts_with('-'));
    let (mut at, mut name) = names.next()?;
    let mut is_carried = false;
    while is_in(CARRIERS, name) || (is_carried && is_in(BETWEEN, name)) {
        is_carried = true;
        (at, name) = names.next()?;
    }
    let runner = *name;
    if is_in(RUNNERS, name) {
        // `make` alone builds.
        let task = names.find(|(_, name)| !is_in(BETWEEN, name));
        (at, name) = task.unwrap_or((words.len() - 1, &"build"));
    } else if !is_carried && is_in("test t build check package verify", name) {
        return None; // the shell's own `test`, and programs of these names
    }
    // A script of the project may have an ending: `./test.sh`.
    let stem = name.split('.').next().filter(|_| !is_carried);
    let purpose = purpose(stem.unwrap_or(name))?;
    let after = &words[at + 1..];
    let rest = after.iter().filter(|word| !word.starts_with('-'));
    let first = rest.clone().next().copied();
    match *name {
        _ if first.is_some_and(|word| is_in("list init", word)) => return None,
        "playwright" if first != Some("test") => return None,
        "cypress" if first != Some("run") => return None,
        _ => (),
    }
    let is_chosen = |word: &&str| {
        let file = word.rsplit('/').next().unwrap_or(word);
        matches!(runner, "cargo" | "jest" | "vitest" | "mocha")
            || word.contains("::")
            || word.trim_start_matches("./").contains('/')
            || file.contains('.')
    };
    let mut rest = rest.filter(|word| !is_in(BETWEEN, word) && !is_in("test . ./...", word));
    let is_option = |word: &&str| is_in(CHOOSE, word.split('=').next().unwrap_or(word));
    Some((purpose, rest.any(is_chosen) || after.iter().any(is_option)))
}

/// Reads a word such as `test`, `test:unit`, `run-tests`, `:app:build`; not `test:lint`, which tests nothing that is run.
fn purpose(name: &str) -> Option<RecordedPurpose> {
    const BESIDE: &str = "unit integration int ci all run spec smoke browser node app web api";
    // Gradle has a task after its projects.
    let name = if name.starts_with(':') {
        name.rsplit(':').next().unwrap_or(name)
    } else {
        name
    };
    let words = || name.split([':', '-', '_']);
    let has = |list: &str| is_in(list, name) || words().any(|word| is_in(list, word));
    let is_known = |word| {
        [E2E, UNIT, BUILDS, BESIDE]
            .iter()
            .any(|list| is_in(list, word))
    };
    match () {
        () if !is_known(name) && !words().all(is_known) => None,
        () if has(E2E) => Some(RecordedPurpose::E2e),
        () if has(UNIT) => Some(RecordedPurpose::Unit),
        () if has(BUILDS) => Some(RecordedPurpose::Build),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_known_by_what_they_run() {
        let table = [
            ("npm test", "unit"),
            ("CI=1 npx vitest run", "unit"),
            ("cd sub && npm run test:unit", "unit, not alone"),
            ("cargo nextest run", "unit"),
            ("cargo test lamp", "unit, part"),
            ("go test ./...", "unit"),
            ("uv run pytest tests", "unit"),
            ("python -m pytest tests/test_a.py", "unit, part"),
            ("python manage.py test", "unit"),
            ("./gradlew :app:test", "unit"),
            ("./test.sh", "unit"),
            ("python -m pytest tests", "unit"),
            ("bash -lc 'npm test'", "unit"),
            ("npm test -- -t 'a; b'", "unit, part"),
            ("make check", "build"),
            ("make", "build"),
            ("npm run build && npm test", "build, not alone"),
            ("npx vitest run; echo done", "unit, not alone, may fail"),
            ("npm test &", "unit, not alone, may fail"),
            ("npx vitest run src/one.test.ts", "unit, part"),
            ("npx playwright test", "e2e"),
            ("pnpm test:e2e", "e2e"),
            ("tsc --noEmit", "build"),
            ("cargo build --release", "build"),
            ("test -f package.json && echo yes", "nothing"),
            ("if test -d x; then echo; fi", "nothing"),
            ("npm install --save-dev jest", "nothing"),
            ("docker build -t test .", "nothing"),
            ("npm run dev -- --mode test", "nothing"),
            ("kubectl apply -f test", "nothing"),
            ("pip install pytest", "nothing"),
            ("pkill -f vitest", "nothing"),
            ("npx playwright install", "nothing"),
            ("cargo test --no-run", "nothing"),
            ("npm test 2>&1 | tail -5", "unit, not alone, may fail"),
            ("npm test > out.log 2>&1", "unit"),
            ("npx jest --testNamePattern=foo", "unit, part"),
            ("pytest tests/unit", "unit, part"),
            ("mvn test -Dtest=Foo", "unit, part"),
            ("npm run test:lint", "nothing"),
            ("make test-image", "nothing"),
            ("npx vitest list", "nothing"),
            ("make -n nope", "nothing"),
            ("git commit -m test", "nothing"),
            ("cd /elsewhere && npm test", "nothing"),
            ("cd .. && cargo test", "unit, not alone"),
            ("", "nothing"),
        ];
        for (line, expected) in table {
            let found = of_line(line, Path::new("/p"));
            let text = found.map_or("nothing".to_owned(), |one| {
                let mut text = format!("{:?}", one.purpose).to_lowercase();
                for (is_said, word) in [
                    (one.is_part, ", part"),
                    (!one.is_alone, ", not alone"),
                    (!one.has_to_succeed, ", may fail"),
                ] {
                    text.push_str(if is_said { word } else { "" });
                }
                text
            });
            assert_eq!(text, expected, "{line}");
        }
    }
}
