//! The environment of a session: the caller's or a clean one, never the daemon's own.

use crate::live::attach::Size;
use crate::live::error::SessionError;
use ccd_protocol::SessionId;
use ccd_protocol::session::SessionCreateParams;
use ccd_terminal::holder::{SESSION_VARIABLE, c_string};
use rustix::process::geteuid;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

const CLEAN_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

const TERM: &str = "xterm-256color";

/// COLORTERM of a terminal of this type: it shows 24-bit colours, which the entry in the terminfo database does not say.
const COLORTERM: &str = "truecolor";

#[derive(Debug, Clone)]
pub(super) struct Environment {
    variables: BTreeMap<OsString, OsString>,
}

impl Environment {
    pub(super) fn from_params(params: &SessionCreateParams) -> Result<Self, SessionError> {
        let mut variables = match &params.inherited.caller_env {
            Some(variables) => to_os(variables),
            None => clean(),
        };
        // These describe the caller's terminal, not the session's.
        for name in ["LINES", "COLUMNS", "TERM", "COLORTERM"] {
            variables.remove(OsStr::new(name));
        }
        let callers = params.inherited.caller_env.iter().flatten();
        for name in params.env.keys().chain(callers.map(|entry| entry.0)) {
            if name.is_empty() || name.contains(['=', '\0']) {
                return Err(SessionError::InvalidArgument(format!(
                    "{name:?} cannot be the name of an environment variable"
                )));
            }
        }
        variables.extend(to_os(&params.env));
        Ok(Self { variables })
    }

    /// Returns the value of a variable, if it is valid text.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(OsStr::new(name))?.to_str()
    }

    /// Returns the variables that are valid text.
    pub(super) fn texts(&self) -> BTreeMap<String, String> {
        let text = |word: &OsString| word.to_str().map(str::to_owned);
        let variable = |(name, value)| Some((text(name)?, text(value)?));
        self.variables.iter().filter_map(variable).collect()
    }

    pub(super) fn search_path(&self) -> Option<&OsStr> {
        self.variables
            .get(OsStr::new("PATH"))
            .map(OsString::as_os_str)
    }

    /// Sets variables, replacing existing ones.
    pub(super) fn lay_over(&mut self, variables: Vec<(OsString, OsString)>) {
        self.variables.extend(variables);
    }

    /// Adds the variables that every session has, except TERM and COLORTERM that were given. With another TERM, COLORTERM
    /// is not added: the program may take such a terminal to have fewer colours.
    pub(super) fn finish(&mut self, id: &SessionId) {
        let term = self.variables.entry("TERM".into());
        if term.or_insert_with(|| TERM.into()) == TERM {
            let colours = self.variables.entry("COLORTERM".into());
            colours.or_insert_with(|| COLORTERM.into());
        }
        self.variables
            .insert(SESSION_VARIABLE.into(), id.as_str().into());
    }

    /// Returns the variables in the form that the kernel takes.
    pub(super) fn entries(&self) -> Result<Vec<CString>, SessionError> {
        let mut entries = Vec::with_capacity(self.variables.len());
        for (name, value) in &self.variables {
            let mut entry = name.clone();
            entry.push("=");
            entry.push(value);
            entries.push(c_string(&entry, "the environment")?);
        }
        Ok(entries)
    }
}

fn to_os(variables: &BTreeMap<String, String>) -> BTreeMap<OsString, OsString> {
    variables
        .iter()
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
}

/// Returns the variables that a login would set, from the user database.
fn clean() -> BTreeMap<OsString, OsString> {
    let user = LoginUser::current();
    [
        ("HOME", user.home),
        ("USER", user.name.clone()),
        ("LOGNAME", user.name),
        ("SHELL", user.shell),
        ("PATH", CLEAN_PATH.to_owned()),
        ("LANG", String::from("C.UTF-8")),
    ]
    .into_iter()
    .map(|(name, value)| (name.into(), value.into()))
    .collect()
}

struct LoginUser {
    name: String,
    home: String,
    shell: String,
}

impl LoginUser {
    /// Returns the daemon's user, from `/etc/passwd`, else from the daemon's own environment.
    fn current() -> Self {
        let uid = geteuid().as_raw();
        std::fs::read_to_string("/etc/passwd")
            .ok()
            .and_then(|text| text.lines().find_map(|line| Self::parse(line, uid)))
            .unwrap_or_else(|| {
                let var = |name: &str, default: &str| {
                    std::env::var(name).unwrap_or_else(|_| default.to_owned())
                };
                Self {
                    name: var("USER", &uid.to_string()),
                    home: var("HOME", "/"),
                    shell: var("SHELL", "/bin/sh"),
                }
            })
    }

    fn parse(line: &str, uid: u32) -> Option<Self> {
        let fields: Vec<&str> = line.split(':').collect();
        let [name, _, number, _, _, home, shell] = fields[..] else {
            return None;
        };
        (number.parse() == Ok(uid)).then(|| Self {
            name: name.to_owned(),
            home: home.to_owned(),
            shell: if shell.is_empty() { "/bin/sh" } else { shell }.to_owned(),
        })
    }
}

/// Hashes what makes two starts equal: program, arguments, folder, size, given variables, tape options, configuration
/// and its values.
/// The hash is keyed, so that nothing can be guessed from it, and only kept in memory.
pub(super) fn reuse_hash(
    key: &[u8; 32],
    params: &SessionCreateParams,
    program: &str,
    cwd: &Path,
    size: Size,
) -> [u8; 32] {
    let mut hash = Sha256::new();
    let mut add = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    add(key);
    add(program.as_bytes());
    add(&(params.args.len() as u64).to_le_bytes());
    for arg in &params.args {
        add(arg.as_bytes());
    }
    add(cwd.as_os_str().as_bytes());
    add(&size.0.to_le_bytes());
    add(&size.1.to_le_bytes());
    let is_silent = params.echo == Some(false);
    let switches = [params.shell, params.plain, params.pipes, is_silent];
    add(&switches.map(u8::from));
    add(params.encoding.as_deref().unwrap_or("utf-8").as_bytes());
    for (name, value) in &params.env {
        add(name.as_bytes());
        add(value.as_bytes());
    }
    if let Some(tape) = &params.tape {
        let tape = serde_json::to_vec(tape).unwrap_or_default();
        [&b"tape"[..], &tape, b""].into_iter().for_each(&mut add);
    }
    if let Some(config) = &params.config {
        // Three parts, so that no variable can hash the same.
        [&b"config"[..], config.as_bytes(), b""]
            .into_iter()
            .for_each(&mut add);
        for (name, value) in &params.set {
            add(name.as_bytes());
            add(value.as_bytes());
        }
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccd_protocol::Inherited;
    use ccd_protocol::tape::TapeOptions;

    fn inherited<const N: usize>(variables: [(&str, &str); N]) -> Inherited {
        Inherited {
            caller_env: Some(variables.map(|(a, b)| (a.into(), b.into())).into()),
            ..Inherited::default()
        }
    }

    #[test]
    fn a_clean_environment_has_what_a_login_sets_and_nothing_else() {
        let mut env = Environment::from_params(&SessionCreateParams::default()).unwrap();
        env.finish(&SessionId::parse("x").unwrap());
        let names = env.variables.keys().map(|name| name.to_str().unwrap());
        assert_eq!(
            names.collect::<Vec<_>>().join(" "),
            "CCD_SESSION_ID COLORTERM HOME LANG LOGNAME PATH SHELL TERM USER"
        );
    }

    #[test]
    fn given_variables_lie_over_the_callers() {
        let params = SessionCreateParams {
            inherited: inherited([("A", "1"), ("B", "1"), ("LINES", "50")]),
            env: [("B".to_owned(), "2".to_owned())].into(),
            ..Default::default()
        };
        let env = Environment::from_params(&params).unwrap();
        assert_eq!(
            (env.get("A"), env.get("B"), env.get("LINES")),
            (Some("1"), Some("2"), None)
        );
    }

    #[test]
    fn the_terminal_is_described_by_what_was_given_and_not_by_the_callers_terminal() {
        let described = |given: &[(&str, &str)]| {
            let given = given
                .iter()
                .map(|&(name, value)| (name.into(), value.into()));
            let params = SessionCreateParams {
                inherited: inherited([("TERM", "screen"), ("COLORTERM", "24bit")]),
                env: given.collect(),
                ..Default::default()
            };
            let mut env = Environment::from_params(&params).unwrap();
            env.finish(&SessionId::parse("x").unwrap());
            ["TERM", "COLORTERM"].map(|name| env.get(name).unwrap_or("none").to_owned())
        };
        let usual = ["xterm-256color", "truecolor"];
        for (given, expected) in [
            (&[][..], usual),
            (&[("TERM", "xterm-256color")], usual),
            (&[("TERM", "vt100")], ["vt100", "none"]),
            (&[("TERM", "vt100"), ("COLORTERM", "no")], ["vt100", "no"]),
            (&[("COLORTERM", "")], ["xterm-256color", ""]),
        ] {
            assert_eq!(described(given), expected);
        }
    }

    #[test]
    fn names_that_cannot_be_variables_are_refused() {
        for name in ["", "A=B", "A\0"] {
            let params = SessionCreateParams {
                env: [(name.to_owned(), String::new())].into(),
                ..Default::default()
            };
            assert!(Environment::from_params(&params).is_err(), "{name:?}");
        }
    }

    #[test]
    fn the_hash_tells_every_part_apart() {
        let hash = |params: &SessionCreateParams, program: &str, cwd: &str, size| {
            reuse_hash(&[7; 32], params, program, Path::new(cwd), size)
        };
        let base = SessionCreateParams::default();
        let usual = |params: &SessionCreateParams| hash(params, "cat", "/", (24, 80));
        assert_eq!(usual(&base), usual(&base));
        let mut hashes = vec![
            usual(&base),
            hash(&base, "bat", "/", (24, 80)),
            hash(&base, "cat", "/tmp", (24, 80)),
            hash(&base, "cat", "/", (25, 80)),
            hash(&base, "cat", "/", (24, 81)),
        ];
        let tape = |tag: Option<&str>| TapeOptions {
            tag: tag.map(str::to_owned),
            ..Default::default()
        };
        let changes: [&dyn Fn(&mut SessionCreateParams); 8] = [
            &|params| params.args.push("a".into()),
            &|params| params.tape = Some(tape(None)),
            &|params| params.tape = Some(tape(Some("a"))),
            &|params| params.echo = Some(false),
            &|params| params.env.extend([("a".into(), String::new())]),
            &|params| params.config = Some("a".into()),
            &|params| params.config = Some("b".into()),
            &|params| {
                params.config = Some("a".into());
                params.set.extend([("who".into(), "x".into())]);
            },
        ];
        for change in changes {
            let mut params = base.clone();
            change(&mut params);
            hashes.push(usual(&params));
        }
        for (index, hash) in hashes.iter().enumerate() {
            assert!(!hashes[..index].contains(hash), "{index}");
        }
    }
}
