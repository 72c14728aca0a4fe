//! Another host or a container: `ssh://[user@]host[:port][/socket]`, `docker://container[/socket]` or
//! `k8s://namespace/pod[/socket]`, and the command that runs `ccctl` over there.

use std::fmt::{self, Display};
use std::process::Command;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "--host: {0}; give ssh://[user@]host[:port][/socket], docker://container[/socket] or k8s://namespace/pod[/socket]"
)]
pub(crate) struct HostError(&'static str);

/// Runs `ccctl` wherever the README says to install it: commands of ssh often get a shorter PATH than a login.
const SCRIPT: &str = r#"PATH="$PATH:$HOME/.local/bin"; exec ccctl "$@""#;

/// True if the daemon is on another host, where neither the directories nor the environment of this one mean anything.
static IS_ELSEWHERE: AtomicBool = AtomicBool::new(false);

pub(crate) fn set_elsewhere() {
    IS_ELSEWHERE.store(true, Ordering::Relaxed);
}

pub(crate) fn is_elsewhere() -> bool {
    IS_ELSEWHERE.load(Ordering::Relaxed)
}

/// Another host, and the socket of the daemon there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Host {
    way: Way,
    /// `None` for the default one over there.
    socket: Option<String>,
}

/// What runs commands over there.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Way {
    Ssh {
        /// `[user@]host`, as `ssh` takes it.
        destination: String,
        port: Option<u16>,
    },
    Docker {
        container: String,
    },
    Kubernetes {
        namespace: String,
        pod: String,
    },
}

impl FromStr for Host {
    type Err = HostError;

    fn from_str(url: &str) -> Result<Self, HostError> {
        let (scheme, rest) = url.split_once("://").unwrap_or_default();
        if rest.contains(|c: char| c.is_control()) {
            return Err(HostError("a control character"));
        }
        let (first, after) = split(rest);
        let (way, socket) = match scheme {
            "ssh" => (ssh(first)?, after),
            "docker" => {
                let container = word(first)?;
                (Way::Docker { container }, after)
            }
            "k8s" => {
                let (pod, after) = split(after.get(1..).unwrap_or_default());
                let (namespace, pod) = (word(first)?, word(pod)?);
                (Way::Kubernetes { namespace, pod }, after)
            }
            _ => {
                return Err(HostError(
                    "not a URL that starts with ssh://, docker:// or k8s://",
                ));
            }
        };
        let socket = Some(socket.to_owned()).filter(|path| path.len() > 1);
        Ok(Self { way, socket })
    }
}

/// What is before the first slash, and the rest with it.
fn split(rest: &str) -> (&str, &str) {
    rest.split_at(rest.find('/').unwrap_or(rest.len()))
}

fn ssh(authority: &str) -> Result<Way, HostError> {
    let (user, place) = match authority.rsplit_once('@') {
        Some((user, place)) => (Some(user), place),
        None => (None, authority),
    };
    if user.is_some_and(|user| user.contains(':')) {
        return Err(HostError("a password does not belong there"));
    }
    let (name, port) = name_and_port(place)?;
    let name = word(name)?;
    let user = user.map(word).transpose()?;
    Ok(Way::Ssh {
        destination: match user {
            Some(user) => format!("{user}@{name}"),
            None => name,
        },
        port,
    })
}

/// A name that no program takes for an option.
fn word(name: &str) -> Result<String, HostError> {
    if name.is_empty() || name.starts_with('-') || name.contains(char::is_whitespace) {
        return Err(HostError(
            "the name of a user, host or container is not valid",
        ));
    }
    Ok(name.to_owned())
}

impl Display for Host {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.way {
            Way::Ssh { destination, port } => {
                write!(out, "ssh://{destination}")?;
                if let Some(port) = port {
                    write!(out, ":{port}")?;
                }
            }
            Way::Docker { container } => write!(out, "docker://{container}")?,
            Way::Kubernetes { namespace, pod } => write!(out, "k8s://{namespace}/{pod}")?,
        }
        out.write_str(self.socket.as_deref().unwrap_or_default())
    }
}

impl Host {
    /// The program that runs commands over there.
    pub(crate) fn program(&self) -> &'static str {
        match self.way {
            Way::Ssh { .. } => "ssh",
            Way::Docker { .. } => "docker",
            Way::Kubernetes { .. } => "kubectl",
        }
    }

    /// Returns the command that runs `ccctl` with these words over there. The user's configuration of that program applies.
    pub(crate) fn ccctl(&self, words: &[String], may_ask: bool) -> Command {
        let mut command = Command::new(self.program());
        match &self.way {
            Way::Ssh { destination, port } => {
                // A terminal would change bytes.
                command.arg("-T");
                if !may_ask {
                    command.args(["-o", "BatchMode=yes", "-o", "ConnectTimeout=10"]);
                }
                if let Some(port) = port {
                    command.arg("-p").arg(port.to_string());
                }
                // The shell over there, which may be any, splits one text.
                let quoted: Vec<String> = self.words(words).map(quoted).collect();
                let line = format!("sh -c {} ccctl {}", self::quoted(SCRIPT), quoted.join(" "));
                command.args(["--", destination, &line]);
                return command;
            }
            Way::Docker { container } => command.args(["exec", "-i", container]),
            Way::Kubernetes { namespace, pod } => {
                command.args(["exec", "-i", "-n", namespace, pod, "--"])
            }
        };
        command
            .args(["sh", "-c", SCRIPT, "ccctl"])
            .args(self.words(words));
        command
    }

    /// The arguments of `ccctl`.
    fn words<'a>(&'a self, words: &'a [String]) -> impl Iterator<Item = &'a str> {
        let socket = self.socket.iter();
        let socket = socket.flat_map(|path| ["--socket", path]);
        socket.chain(words.iter().map(String::as_str))
    }
}

/// The parts of `host`, `host:port`, `[address]` or `[address]:port`; an empty port is none.
fn name_and_port(place: &str) -> Result<(&str, Option<u16>), HostError> {
    let wrong = HostError("the address in brackets is not closed");
    let (name, port) = match place.strip_prefix('[') {
        Some(rest) => {
            let (address, after) = rest.split_once(']').ok_or(wrong)?;
            match after.strip_prefix(':') {
                Some(port) => (address, port),
                None if after.is_empty() => (address, ""),
                None => return Err(HostError("there is text after the address in brackets")),
            }
        }
        None => place.split_once(':').unwrap_or((place, "")),
    };
    let port = match port {
        "" => None,
        port => Some(port.parse().ok().filter(|port| *port > 0)),
    };
    match port {
        Some(None) => Err(HostError("the port is not a number from 1 to 65535")),
        port => Ok((name, port.flatten())),
    }
}

/// A word in single quotes, which every shell takes literally.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_of(url: &str, words: &[&str]) -> Vec<String> {
        let host: Host = url.parse().unwrap();
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let command = host.ccctl(&words, true);
        let args = command
            .get_args()
            .map(|arg| arg.to_str().unwrap().to_owned());
        args.collect()
    }

    #[test]
    fn a_url_has_a_host_and_may_have_user_port_and_socket() {
        for (url, before) in [
            ("ssh://h", &["-T", "--", "h"][..]),
            ("ssh://h/", &["-T", "--", "h"]),
            (
                "ssh://me@h.example:2222",
                &["-T", "-p", "2222", "--", "me@h.example"],
            ),
            ("ssh://me@[::1]:22/s", &["-T", "-p", "22", "--", "me@::1"]),
            ("ssh://h:/s", &["-T", "--", "h"]),
        ] {
            let args = words_of(url, &["dial"]);
            assert_eq!(args[..args.len() - 1], *before, "{url}");
        }
        assert_eq!(
            "ssh://me@h:2222/run/s".parse::<Host>().unwrap().to_string(),
            "ssh://me@h:2222/run/s"
        );
    }

    #[test]
    fn containers_are_reached_through_their_engines() {
        let script = ["sh", "-c", SCRIPT, "ccctl"];
        for (url, program, before, after) in [
            (
                "docker://box",
                "docker",
                &["exec", "-i", "box"][..],
                &["dial"][..],
            ),
            (
                "docker://box/run/s",
                "docker",
                &["exec", "-i", "box"],
                &["--socket", "/run/s", "dial"],
            ),
            (
                "k8s://ns/pod",
                "kubectl",
                &["exec", "-i", "-n", "ns", "pod", "--"],
                &["dial"],
            ),
            (
                "k8s://ns/pod/s",
                "kubectl",
                &["exec", "-i", "-n", "ns", "pod", "--"],
                &["--socket", "/s", "dial"],
            ),
        ] {
            let host: Host = url.parse().unwrap();
            assert_eq!(
                (host.program(), host.to_string()),
                (program, url.to_owned())
            );
            assert_eq!(
                words_of(url, &["dial"]),
                [before, &script, after].concat(),
                "{url}"
            );
        }
    }

    #[test]
    fn what_ssh_or_a_shell_would_misread_is_refused_or_quoted() {
        for url in [
            "",
            "h",
            "http://h",
            "ssh://",
            "ssh://@h",
            "ssh://-oProxyCommand=x",
            "ssh://-l@h",
            "ssh://me@-h",
            "ssh://a b",
            "ssh://h:0",
            "ssh://h:99999",
            "ssh://h:x",
            "ssh://me:secret@h",
            "ssh://[::1",
            "ssh://[::1]x",
            "ssh://h/a\nb",
            "docker://",
            "docker://-it",
            "docker://a b",
            "k8s://pod",
            "k8s:///pod",
            "k8s://ns/-pod",
        ] {
            let error = url.parse::<Host>().unwrap_err().to_string();
            assert!(
                error.contains("give ssh://") && !error.contains("secret"),
                "{url:?}: {error}"
            );
        }
        // The shell over there gets each word as it is.
        let path = "/it's $HOME; `x`";
        let line = words_of(&format!("ssh://h{path}"), &["dial", "a b"])
            .pop()
            .unwrap();
        let show = line.replacen(&quoted(SCRIPT), &quoted(r#"printf '<%s>' "$@""#), 1);
        let shown = Command::new("sh").arg("-c").arg(show).output().unwrap();
        let shown = String::from_utf8(shown.stdout).unwrap();
        assert_eq!(shown, format!("<--socket><{path}><dial><a b>"));
    }
}
