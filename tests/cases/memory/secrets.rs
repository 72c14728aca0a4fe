//! Thousands of secrets, ten thousand in long runs, in everything that a memory is made of: none in the file, in the digest, or in a file of the daemon.

use crate::support::secrets::{fixture, talkative};
use crate::support::{Daemon, amount};
use rand::rngs::StdRng;
use rand::seq::SliceRandom as _;
use rand::{Rng as _, SeedableRng as _};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fs;
use std::path::Path;

const PROJECT_SECRETS: usize = 160;

/// Of each secret, this many random characters are looked for.
const CORE: usize = 10;
type Cores = HashSet<[u8; CORE]>;

/// What is random in the texts of the fixture, besides `{{N}}` and `{{hex N}}`, as such a gap. With a letter and a digit
/// before it, nobody takes a password for a word.
const VALUES: [(&str, &str); 6] = [
    ("AKIAIOSFODNN7EXAMPLE", "AKIA{{capital 16}}"),
    ("wJalrXUtnFEMI/K7MDENG", "p4{{40}}"),
    ("wJalr/K7", "p4{{40}}"),
    ("hunter2", "p4{{14}}"),
    ("geheim", "p4{{14}}"),
    ("swordfish", "p4{{14}}"),
];

/// Fills a text of the fixture with random values; nothing if it has no place for one.
fn generated(template: &str, random: &mut StdRng, cores: &mut Cores) -> Option<String> {
    let replaced = |text: String, (value, gap): &(&str, &str)| text.replace(value, gap);
    let template = VALUES.iter().fold(template.to_owned(), replaced);
    let mut parts = template.split("{{");
    let mut text = parts.next()?.to_owned();
    let mut found = false;
    for part in parts {
        let (gap, after) = part.split_once("}}").unwrap();
        let (kind, len) = gap.rsplit_once(' ').unwrap_or(("", gap));
        let alphabet: &[u8] = match kind {
            "hex" => b"0123456789abcdef",
            "capital" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
            _ => b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz123456789",
        };
        let char = |_| char::from(alphabet[random.random_range(0..alphabet.len())]);
        let made: String = (0..len.parse().unwrap()).map(char).collect();
        if let Some(core) = made.as_bytes().last_chunk() {
            cores.insert(*core);
            found = true;
        }
        text.push_str(&made);
        text.push_str(after);
    }
    found.then_some(text)
}

fn secrets(cores: &mut Cores) -> Vec<String> {
    let fixture = fixture();
    let templates = fixture["secrets"].as_array().unwrap().iter();
    let templates = templates.map(|case| case["text"].as_str().unwrap());
    let mut random = StdRng::seed_from_u64(20);
    let mut secrets = Vec::new();
    // Each text of the fixture many times.
    let wanted = amount(10_000, 2_500);
    for template in templates.cycle() {
        secrets.extend(generated(template, &mut random, cores));
        if secrets.len() == wanted {
            break;
        }
    }
    // Each project has some of all kinds.
    secrets.shuffle(&mut random);
    secrets
}

#[track_caller]
fn assert_clean(what: &str, bytes: &[u8], cores: &Cores) {
    let leak = bytes.windows(CORE).position(|window| {
        let window: &[u8; CORE] = window.try_into().unwrap();
        cores.contains(window)
    });
    if let Some(at) = leak {
        let near = &bytes[at.saturating_sub(80)..bytes.len().min(at + 40)];
        panic!("{what}: {}", String::from_utf8_lossy(near));
    }
}

fn assert_clean_below(folder: &Path, cores: &Cores) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            assert_clean_below(&entry.path(), cores);
        } else if kind.is_file() {
            let bytes = fs::read(entry.path()).unwrap_or_default();
            assert_clean(&entry.path().display().to_string(), &bytes, cores);
        }
    }
}

/// Takes secrets, one after the other, again from the first when there are no more.
struct Supply<'a>(std::iter::Cycle<std::slice::Iter<'a, String>>);

impl<'a> Supply<'a> {
    fn next(&mut self) -> &'a str {
        self.0.next().unwrap()
    }

    fn line(&mut self) -> &'a str {
        self.0
            .find(|secret| !secret.contains(['\n', '\r']))
            .unwrap()
    }

    /// Returns a secret that may be the name of a file: nobody names one after a command or a statement.
    fn name(&mut self) -> &'a str {
        let is_other = |char: char| char.is_whitespace() || "/'\"".contains(char);
        let mut all = self.0.by_ref().take(PROJECT_SECRETS);
        let name = all.find(|secret| !secret.contains(is_other) && secret.len() < 200);
        name.map_or("a", String::as_str)
    }

    /// Returns a token that is the name of a branch too, if there is one.
    fn token(&mut self) -> String {
        let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
        let mut all = self.0.by_ref().take(PROJECT_SECRETS);
        let token = all.find_map(|secret| {
            let mut words = secret.split(' ');
            words.find(|word| word.contains('_') && word.len() > 25 && word.chars().all(is_plain))
        });
        token.unwrap_or("main").to_owned()
    }
}

fn write(root: &Path, path: impl AsRef<Path>, content: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn quoted(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('"', "&quot;").replace('\n', "&#10;")
}

fn junit(supply: &mut Supply<'_>) -> String {
    let case = |_| {
        let name = quoted(supply.line());
        let [message, text] = [(); 2].map(|()| quoted(supply.next()));
        format!(
            "<testcase name=\"{name}\"><failure message=\"{message}\">{text}</failure></testcase>"
        )
    };
    let cases: String = (0..20).map(case).collect();
    format!("<testsuites><testsuite>{cases}</testsuite></testsuites>")
}

fn jest(supply: &mut Supply<'_>) -> String {
    let mut test = |_| {
        let name = supply.line();
        json!({"status": "failed", "fullName": name, "failureMessages": [supply.next()]})
    };
    let tests: Vec<Value> = (0..20).map(&mut test).collect();
    let file = json!({"name": "src/a.test.ts", "status": "failed", "assertionResults": tests});
    json!({"numTotalTests": 20, "numFailedTests": 20, "testResults": [file]}).to_string()
}

fn tap(supply: &mut Supply<'_>) -> String {
    let mut test = |number| {
        let (name, message) = (supply.line(), supply.line());
        format!("not ok {number} - {name}\n  ---\n  message: {message}\n  ...\n")
    };
    let tests: String = (1..=20).map(&mut test).collect();
    format!("TAP version 13\n{tests}1..20\n")
}

/// A project in which everything that is text is a secret.
fn project(root: &Path, number: usize, supply: &mut Supply<'_>) {
    let head = format!("ref: refs/heads/{}\n", supply.token());
    write(root, ".git/HEAD", &head);
    for folder in ["objects", "refs"] {
        fs::create_dir_all(root.join(".git").join(folder)).unwrap();
    }
    let manifest = json!({"name": supply.line(), "description": supply.next()});
    write(root, "package.json", &manifest.to_string());
    let mut plan = String::from("- [x] T000 start\n");
    for task in 1..8 {
        plan.push_str(&format!("- [ ] T{task:03} {}\n", supply.line()));
        plan.push_str(&format!("- [ ] {}\n", supply.line()));
        plan.push_str(&format!("## Phase {task}: {}\n- [ ] x\n", supply.line()));
    }
    let later = [(); 2].map(|()| supply.line());
    plan.push_str(&format!("## Later\n- {}\n- {}\n", later[0], later[1]));
    write(root, "tasks.md", &plan);
    let mut source = String::new();
    for word in ["FIXME", "BLOCKED", "TODO(T002)", "NEEDS"] {
        for _ in 0..5 {
            source.push_str(&format!("# {word}: {}\n", supply.line()));
        }
    }
    write(root, "src/a.py", &source);
    for _ in 0..5 {
        write(root, format!("src/{}.py", supply.name()), "# FIXME: here\n");
    }
    match number % 3 {
        0 => write(root, "test-results/junit.xml", &junit(supply)),
        1 => write(root, "test-results/jest.json", &jest(supply)),
        _ => write(root, "test-results/a.tap", &tap(supply)),
    }
    write(root, "cypress/results/a.xml", &junit(supply));
}

/// Puts a secret in the place of each text, without those that have a form.
fn fill(value: &mut Value, supply: &mut Supply<'_>) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(|value| fill(value, supply)),
        Value::Object(fields) => {
            for (name, value) in fields {
                const FORMS: &str = "priority status generatedAt detectedAt lastRun lastInstall lastBuild version packageManager";
                match (name.as_str(), value) {
                    ("file" | "path" | "sourceFile", Value::String(path)) => {
                        supply.name().clone_into(path);
                    }
                    (name, value) if !FORMS.split(' ').any(|form| form == name) => {
                        fill(value, supply);
                    }
                    _ => (),
                }
            }
        }
        Value::String(text) => supply.next().clone_into(text),
        _ => (),
    }
}

fn given(daemon: &Daemon, at: &str, supply: &mut Supply<'_>) -> Value {
    let memory = daemon.call_value("memory.get", &json!({"project": at}));
    let mut memory = memory.unwrap();
    let fields = memory.as_object_mut().unwrap();
    fields.remove("provenance");
    fields.remove("warnings");
    memory["environment"]["servers"] =
        json!([{"process": "", "port": 3000, "url": "", "pid": 1, "status": "running"}]);
    memory["environment"]["build"]["errors"] = json!(["", "", ""]);
    fill(&mut memory, supply);
    memory
}

#[test]
fn none_of_thousands_of_secrets_gets_out_of_a_project() {
    let daemon = talkative();
    let mut cores = Cores::new();
    let secrets = secrets(&mut cores);
    assert!(cores.len() >= secrets.len());
    for (number, secrets) in secrets.chunks(PROJECT_SECRETS).enumerate() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().to_str().unwrap();
        let mut supply = Supply(secrets.iter().cycle());
        project(folder.path(), number, &mut supply);
        let check = |params: &Value| {
            let saved = daemon.ok("memory.save", params);
            assert_eq!(saved["warnings"], json!([]));
            assert!(saved["redacted"].as_u64().unwrap() > 20, "{saved}");
            let file = fs::read(folder.path().join(".claude/session-memory.md")).unwrap();
            assert_clean("file", &file, &cores);
            for short in [false, true] {
                let params = json!({"project": at, "short": short});
                let loaded = daemon.ok("memory.load", &params);
                assert_clean("load", loaded.to_string().as_bytes(), &cores);
            }
        };
        check(&json!({"project": at}));
        let memory = given(&daemon, at, &mut supply);
        check(&json!({"project": at, "memory": memory}));
    }
    assert_clean_below(daemon.home(), &cores);
}
