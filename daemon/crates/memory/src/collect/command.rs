//! What a recorded command line ran: tests, a build, or something else.

use super::tasks::pattern;
use regex::Regex;
use std::path::Path;
use std::sync::LazyLock;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Unit,
    E2e,
    Build,
}

/// A command of a line that runs tests or builds.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Command {
    pub(super) purpose: Purpose,
    /// As it is typed, without what is around it in the line.
    pub(super) text: String,
    /// Nothing else is in the line, so that its exit status is the command's own.
    pub(super) is_alone: bool,
    /// The line succeeds only if the command does.
    pub(super) has_to_succeed: bool,
    /// Only some tests are chosen.
    pub(super) is_part: bool,
}

/// Programs that run another one, or a script of the project.
const CARRIERS: &str = "npx bunx pnpx time sudo env nice xvfb-run uv poetry pdm pipenv hatch rye python python3 bundle npm pnpm yarn bun deno corepack";
/// Between a carrier and what it runs.
const BETWEEN: &str = "run exec dlx x";
/// Programs whose first word says what they do.
const RUNNERS: &str = "cargo go mvn mvnw gradle gradlew make just rake mix dotnet swift bazel sbt zig composer task turbo nx manage.py";

const UNIT: &str = "test tests t nextest verify pytest py.test jest vitest mocha ava jasmine ctest tox nox phpunit rspec";
const E2E: &str = "e2e playwright cypress wdio";
const BUILDS: &str = "build compile tsc javac check typecheck assemble package";

/// Options with which nothing is run.
const NOT_RUN: &str =
    "--version -V --help -h --collect-only --co --no-run --list --listTests --list-tests --dry-run";
/// Options that choose some tests.
const CHOOSE: &str = "-k -t -g -m -o -E -run -Dtest --grep --filter --testNamePattern --test-name-pattern --testPathPattern --testPathPatterns \
    --tests --lf --last-failed --only --onlyFailures --changed --shard --project --deselect";

static REDIRECTIONS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\d*(?:>>?|<)&?\s*[^\s;|&]+|&>>?\s*[^\s;|&]+"));

fn is_in(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}

/// Returns the first command of a line that runs tests or builds in the project at `root`.
pub(super) fn of_line(line: &str, root: &Path) -> Option<Command> {
    let elsewhere = line.trim_start().strip_prefix("cd ").map(str::trim_start);
    if elsewhere.is_some_and(|path| is_outside(path, root)) {
        return None;
    }
    // Redirections are of no interest, but have signs of the others.
    let line = REDIRECTIONS.replace_all(line, "");
    let parts: Vec<&str> = line.split("&&").collect();
    let commands = parts
        .iter()
        .flat_map(|part| part.split([';', '|', '&', '\n']));
    let commands = commands.filter(|command| !command.trim().is_empty());
    let is_alone = commands.clone().count() == 1 && !line.trim_end().ends_with('&');
    let has_to_succeed = !line.contains([';', '|', '\n']) && !line.replace("&&", "").contains('&');
    let found = commands.filter_map(|text| Some((text.trim(), of_command(text)?)));
    found
        .into_iter()
        .next()
        .map(|(text, (purpose, is_part))| Command {
            purpose,
            text: text.to_owned(),
            is_alone,
            has_to_succeed,
            is_part,
        })
}

fn is_outside(path: &str, root: &Path) -> bool {
    let path = path.split([' ', ';', '&']).next().unwrap_or_default();
    let path = path.trim_matches(['"', '\'']);
    path.starts_with(['/', '~', '$']) && !Path::new(path).starts_with(root)
}

fn of_command(command: &str) -> Option<(Purpose, bool)> {
    let is_setting = |word: &&str| word.contains('=') && !word.starts_with('-');
    let words: Vec<&str> = command.split_whitespace().skip_while(is_setting).collect();
    if words.iter().any(|word| is_in(NOT_RUN, word)) {
        return None;
    }
    let mut names = words.iter().copied().filter(|word| !word.starts_with('-'));
    let path = names.next()?;
    let mut name = path.rsplit('/').next()?;
    let mut is_carried = false;
    while is_in(CARRIERS, name) || (is_carried && is_in(BETWEEN, name)) {
        is_carried = true;
        name = names.next()?;
    }
    let program = name;
    if is_in(RUNNERS, name) {
        // `make` alone builds.
        name = names.find(|name| !is_in(BETWEEN, name)).unwrap_or("build");
        if program == "make" && words.contains(&"-n") {
            return None;
        }
    } else if !is_carried && path.contains('/') {
        // A script of the project, such as `./test.sh`.
        name = name.split('.').next().unwrap_or(name);
    } else if !is_carried && is_in("test t build check package verify", name) {
        return None; // the shell's own `test`, and programs of these names
    }
    let purpose = purpose(name)?;
    let mut rest: Vec<&str> = names.collect();
    match name {
        _ if rest.first().is_some_and(|word| is_in("list init", word)) => return None,
        "playwright" if rest.first() != Some(&"test") => return None,
        "cypress" if rest.first() != Some(&"run") => return None,
        _ => (),
    }
    rest.retain(|word| !is_in(BETWEEN, word) && !is_in("test . ./...", word));
    let is_chosen = |word: &&str| {
        let file = word.rsplit('/').next().unwrap_or(word);
        matches!(program, "cargo" | "jest" | "vitest" | "mocha")
            || word.contains("::")
            || word.trim_start_matches("./").contains('/')
            || file.contains('.')
    };
    let is_part = rest.iter().any(is_chosen)
        || words
            .iter()
            .any(|word| is_in(CHOOSE, word.split('=').next().unwrap_or(word)));
    Some((purpose, is_part))
}

/// Reads a word such as `test`, `test:unit`, `run-tests`, `:app:build`; not `test:lint`, which tests nothing that is run.
fn purpose(name: &str) -> Option<Purpose> {
    const BESIDE: &str = "unit integration int ci all run spec smoke browser node app web api";
    // Gradle has a task after its projects.
    let name = match name.starts_with(':') {
        true => name.rsplit(':').next().unwrap_or(name),
        false => name,
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
        () if has(E2E) => Some(Purpose::E2e),
        () if has(UNIT) => Some(Purpose::Unit),
        () if has(BUILDS) => Some(Purpose::Build),
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
