//! `ccctl tape shim`: a small script that answers from tapes in place of a program.

use super::options::{TapeCommand, check_effect, modes};
use crate::args::Given;
use crate::fields::Fields as _;
use crate::program::{all_on_path, is_same};

use crate::{Context, Exit, Failure, caller};
use ccd_base::shell;
use ccd_base::whole_file::{self, Durability};
use ccd_protocol::tape::{FallbackMode, RecordMode};
use serde_json::Value;
use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// The start of the second line of each shim, by which it is recognised.
const MARK: &str = "# ccctl tape shim";

/// Arguments with a value, and those without one.
const VALUES: &str =
    "root record latency error_rate seed tag allow_env ignore_env ignore_arg decorate";
const SWITCHES: &str = "strict no_strict no_redact ignore_stdin match_cwd";

/// How much of a file is read to look for the mark.
const HEAD_BYTES: u64 = 256;

/// Everybody may run a shim.
const MODE: u32 = 0o755;

pub(crate) fn shim(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let path = make(args)?;
    let program = args.text("program");
    if program.contains('/') {
        context.note(&format!(
            "{path} replaces {program} wherever it is called from: tapes know a program by its name only"
        ));
    }
    let made = serde_json::json!({"path": path, "program": program});
    context.print_either(&made, |out| writeln!(out, "{path}"))
}

fn make(args: &Given) -> Result<String, Failure> {
    let name = name(args.text("program"))?;
    let to = PathBuf::from(caller::absolute_here(Path::new(args.text("to")))?);
    fs::create_dir_all(&to).map_err(Failure::io(to.display()))?;
    let path = to.join(name);
    if !args.has("force") && !may_be_replaced(&path).map_err(Failure::io(path.display()))? {
        return Failure::usage(format!(
            "{} exists and is not a shim of ccctl; --force overwrites it",
            path.display()
        ));
    }
    let ccctl = std::env::current_exe().map_err(Failure::io("ccctl"))?;
    let script = script(&caller::text(ccctl)?, verb(args), &words(args, &to)?);
    whole_file::replace(&path, script.as_bytes(), MODE, Durability::Later)
        .map_err(Failure::io(path.display()))?;
    caller::text(path)
}

/// The name of the file: the program's name without directories.
fn name(program: &str) -> Result<&OsStr, Failure> {
    let name = Path::new(program).file_name();
    let name =
        name.filter(|name| !program.ends_with('/') && !name.as_encoded_bytes().starts_with(b"-"));
    name.ok_or_else(|| {
        Failure::Usage(format!(
            "{program:?} is not the name of a program; give one, such as sqlite3"
        ))
    })
}

fn script(ccctl: &str, verb: TapeCommand, words: &[String]) -> String {
    let ccctl = shell::line(&[ccctl.to_owned()]);
    let words = shell::line(words);
    let verb = verb.name();
    format!(
        "#!/bin/sh\n{MARK}: answers from tapes; see ccctl tape shim --help.\nexec {ccctl} {verb} {words} \"$@\"\n"
    )
}

/// The command whose modes these are.
fn verb(args: &Given) -> TapeCommand {
    match (args.typed("record"), args.typed("fallback")) {
        (Some(RecordMode::Overwrite), _) => TapeCommand::Rec,
        (_, Some(FallbackMode::Proxy)) => TapeCommand::Proxy,
        (Some(RecordMode::New), _) => TapeCommand::Rec,
        (None | Some(RecordMode::Disabled), _) => TapeCommand::Play,
    }
}

/// The words after the command, except the program's arguments: the flags as given, except `--fallback`, which the command
/// implies. The directory is absolute, because the shim can be called from anywhere.
fn words(args: &Given, to: &Path) -> Result<Vec<String>, Failure> {
    let verb = verb(args);
    let (record, _) = modes(verb, args);
    check_effect(args, record, verb.modes().1)?;
    let mut words = Vec::new();
    let option = |name: &str| match name {
        "root" => "tapes".to_owned(),
        name => name.replace('_', "-"),
    };
    for name in VALUES.split(' ') {
        let values = match args.at(name) {
            Value::Null => &[],
            Value::Array(all) if name != "latency" => &all[..],
            value => std::slice::from_ref(value),
        };
        words.extend(
            values
                .iter()
                .map(|value| format!("--{}={}", option(name), written(value))),
        );
    }
    let switches = SWITCHES.split(' ').filter(|name| args.has(name));
    words.extend(switches.map(|name| format!("--{}", option(name))));
    // The caller expects nothing on standard error but the program's own output.
    words.push("--no-summary".to_owned());
    let program = args.text("program");
    let program = match verb {
        TapeCommand::Play => program.to_owned(),
        // If it were looked up by its name, the shim would run itself.
        TapeCommand::Rec | TapeCommand::Proxy => real(program, to)?,
    };
    words.extend(["--".to_owned(), program]);
    Ok(words)
}

/// The value of an option as it is written on the command line.
fn written(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        Value::Array(range) => format!("{}-{}", range[0], range[1]).into(),
        Value::Number(number) if number.is_f64() => {
            number.as_f64().unwrap_or_default().to_string().into()
        }
        other => other.to_string().into(),
    }
}

/// The path of the program itself, found on `PATH` outside the shim's directory.
fn real(program: &str, to: &Path) -> Result<String, Failure> {
    if program.contains('/') {
        return caller::absolute_here(Path::new(program));
    }
    let is_in = |file: &PathBuf| file.parent().is_some_and(|folder| is_same(folder, to));
    let found = all_on_path(OsStr::new(program)).find(|file| !is_in(file));
    match found {
        Some(file) => caller::text(file),
        None => Failure::usage(format!(
            "{program} is not on PATH, but must run for inputs that are on no tape; give its path"
        )),
    }
}

/// True if the file does not exist or is a shim.
fn may_be_replaced(path: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(error),
        Ok(found) if !found.is_file() => return Ok(false),
        Ok(_) => {}
    }
    let mut head = Vec::new();
    File::open(path)?.take(HEAD_BYTES).read_to_end(&mut head)?;
    let head = String::from_utf8_lossy(&head);
    Ok(head
        .lines()
        .nth(1)
        .is_some_and(|line| line.starts_with(MARK)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::parsed;
    use std::os::unix::fs::PermissionsExt as _;

    fn parse(line: &str) -> Given {
        parsed(&format!("tape shim {line}")).unwrap()
    }

    fn words_of(line: &str) -> Result<Vec<String>, Failure> {
        words(&parse(line), Path::new("/nowhere"))
    }

    #[test]
    fn a_shim_runs_play_with_its_flags_and_the_programs_arguments() {
        let words = words_of("--tapes '/t p' --latency 5-50 --ignore-arg -x --strict bc").unwrap();
        let script = script("/a b/ccctl", TapeCommand::Play, &words);
        assert!(
            script.starts_with("#!/bin/sh\n# ccctl tape shim: "),
            "{script}"
        );
        let line = "play '--tapes=/t p' --latency=5-50 --ignore-arg=-x --strict --no-summary -- bc";
        let exec = format!("exec '/a b/ccctl' {line} \"$@\"\n");
        assert!(script.ends_with(&exec), "{script}");
        // The definition of the command line accepts this.
        assert!(parsed(line).is_ok());
    }

    #[test]
    fn a_shim_runs_the_command_of_its_modes() {
        for (line, name) in [
            ("sh", "play"),
            ("--fallback proxy sh", "play --fallback proxy"),
            ("--record new --fallback proxy sh", "play --fallback proxy"),
            ("--record overwrite --fallback proxy sh", "rec"),
            ("--record new sh", "rec"),
        ] {
            assert_eq!(verb(&parse(line)).name(), name, "{line}");
        }
        assert!(matches!(words_of("--tag t sh"), Err(Failure::Usage(_))));
    }

    #[test]
    fn nothing_but_a_shim_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("bc");
        let write_shim =
            |line: &str| make(&parse(&format!("{line} --to {}", folder.path().display())));
        write_shim("bc").unwrap();
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, MODE);
        write_shim("bc --latency 0").unwrap();
        assert!(fs::read_to_string(&file).unwrap().contains("--latency=0"));
        fs::write(&file, "#!/bin/sh\necho mine\n").unwrap();
        assert!(matches!(write_shim("bc"), Err(Failure::Usage(_))));
        assert!(fs::read_to_string(&file).unwrap().contains("mine"));
        write_shim("bc --force").unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_program_that_may_have_to_answer_is_named_by_its_path() {
        let words = words_of("--fallback proxy sh").unwrap();
        let program = words.last().unwrap();
        assert!(program.starts_with('/') && program.ends_with("/sh"));
        assert!(words_of("--fallback proxy no-such-program").is_err());
        for wrong in ["/usr/bin/", "..", "-x", "./-x"] {
            assert!(name(wrong).is_err(), "{wrong}");
        }
        assert_eq!(name("../bc").unwrap(), "bc");
    }
}
