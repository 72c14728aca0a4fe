//! Which commands of which programs are dangerous.

use super::rule::Rule;
use super::rule::Rule::{Credentials, Database, Deletion, PackageRemoval, Shutdown};

/// Programs that are dangerous with any arguments.
const ALWAYS: &[(Rule, &[&str])] = &[
    (
        Deletion,
        &[
            "shred",
            "wipe",
            "srm",
            "rimraf",
            "deltree",
            "bleachbit",
            "sdelete",
            "wipedir",
            "trash-empty",
        ],
    ),
    (
        Shutdown,
        &[
            "shutdown",
            "reboot",
            "halt",
            "poweroff",
            "stop-computer",
            "restart-computer",
            "killall5",
            "kexec",
            "pm-suspend",
            "pm-hibernate",
            "systemctl-poweroff",
        ],
    ),
    (
        Credentials,
        &[
            "chpasswd",
            "usermod",
            "useradd",
            "userdel",
            "groupadd",
            "groupdel",
            "groupmod",
            "adduser",
            "deluser",
            "addgroup",
            "delgroup",
            "vipw",
            "vigr",
            "visudo",
            "gpasswd",
            "ssh-copy-id",
            "htpasswd",
            "kpasswd",
            "smbpasswd",
            "chsh",
            "chfn",
            "newusers",
            "pwconv",
            "pwunconv",
            "createuser",
            "dropuser",
            "ldappasswd",
        ],
    ),
    (
        PackageRemoval,
        &["xbps-remove", "apt-autoremove", "uninstall-package"],
    ),
    (Database, &["dropdb"]),
];

/// Programs with the sub-commands that are dangerous, separated by blanks if there are two.
const SUBCOMMANDS: &[(Rule, &[&str], &[&str])] = &[
    (
        PackageRemoval,
        &["apt", "apt-get", "aptitude"],
        &["remove", "purge", "autoremove", "autopurge", "dist-upgrade"],
    ),
    (
        PackageRemoval,
        &["yum", "dnf", "microdnf", "zypper", "tdnf"],
        &["remove", "erase", "autoremove", "rm"],
    ),
    (
        PackageRemoval,
        &[
            "brew",
            "port",
            "snap",
            "flatpak",
            "choco",
            "winget",
            "scoop",
            "opkg",
            "conda",
            "mamba",
            "micromamba",
        ],
        &["uninstall", "remove", "rm", "autoremove", "delete"],
    ),
    (
        PackageRemoval,
        &[
            "pip", "pip2", "pip3", "pipx", "gem", "cargo", "helm", "poetry", "composer", "bun",
            "luarocks", "cpanm", "uv",
        ],
        &["uninstall", "remove", "tool uninstall", "pip uninstall"],
    ),
    (
        PackageRemoval,
        &["npm", "pnpm", "yarn"],
        &[
            "uninstall",
            "remove",
            "rm",
            "un",
            "unlink",
            "r",
            "global remove",
        ],
    ),
    (PackageRemoval, &["apk"], &["del"]),
    (
        PackageRemoval,
        &["pkg"],
        &["delete", "remove", "autoremove"],
    ),
    (
        PackageRemoval,
        &["rustup"],
        &[
            "self uninstall",
            "toolchain uninstall",
            "toolchain remove",
            "target remove",
            "component remove",
        ],
    ),
    (
        PackageRemoval,
        &["nix", "guix"],
        &["remove", "profile remove"],
    ),
    (
        PackageRemoval,
        &["dotnet"],
        &["tool uninstall", "workload uninstall"],
    ),
    (Deletion, &["kubectl", "oc"], &["delete", "drain"]),
    (
        Deletion,
        &["terraform", "tofu", "vagrant", "pulumi"],
        &["destroy"],
    ),
    (
        Deletion,
        &["rclone"],
        &["purge", "delete", "sync", "rmdirs", "cleanup"],
    ),
    (
        Deletion,
        &["docker", "podman"],
        &[
            "system prune",
            "volume prune",
            "volume rm",
            "image prune",
            "container prune",
            "network prune",
            "builder prune",
            "system reset",
            "compose down",
        ],
    ),
    (Deletion, &["docker-compose"], &["down"]),
    (
        Deletion,
        &["git"],
        &[
            "stash clear",
            "stash drop",
            "filter-branch",
            "reflog expire",
            "reflog delete",
            "update-ref",
        ],
    ),
    (
        Deletion,
        &["gh"],
        &[
            "repo delete",
            "release delete",
            "issue delete",
            "gist delete",
            "run delete",
        ],
    ),
    (Deletion, &["gcloud"], &["projects delete"]),
    (Deletion, &["heroku"], &["apps:destroy", "pg:reset"]),
    (Database, &["redis-cli"], &["flushall", "flushdb"]),
    (
        Database,
        &["mysqladmin", "mariadb-admin"],
        &["drop", "flush-privileges"],
    ),
    (Credentials, &["mysqladmin"], &["password"]),
    (
        Shutdown,
        &["systemctl", "loginctl"],
        &[
            "poweroff",
            "reboot",
            "halt",
            "kexec",
            "suspend",
            "hibernate",
            "hybrid-sleep",
            "rescue",
            "emergency",
            "isolate",
            "soft-reboot",
            "suspend-then-hibernate",
            "terminate-user",
            "kill-user",
        ],
    ),
    (Shutdown, &["init", "telinit"], &["0", "6", "1", "s", "S"]),
    (
        Credentials,
        &["gh"],
        &[
            "auth login",
            "auth logout",
            "auth refresh",
            "auth setup-git",
            "ssh-key add",
            "ssh-key delete",
            "secret set",
            "secret delete",
        ],
    ),
    (
        Credentials,
        &[
            "docker", "podman", "npm", "cargo", "helm", "az", "heroku", "vercel", "fly", "oc",
            "twine",
        ],
        &[
            "login",
            "logout",
            "adduser",
            "owner",
            "token create",
            "token revoke",
        ],
    ),
    (
        Credentials,
        &["aws"],
        &[
            "configure",
            "iam create-access-key",
            "iam delete-access-key",
            "iam delete-user",
        ],
    ),
    (Credentials, &["gcloud"], &["auth login", "auth revoke"]),
    (Credentials, &["net"], &["user", "localgroup"]),
    (
        Credentials,
        &["git"],
        &["credential", "credential-store", "credential-cache"],
    ),
    (
        Credentials,
        &["claude"],
        &["setup-token", "auth login", "auth logout"],
    ),
];

/// Programs with the options that are dangerous. A single letter also counts among others: `-Rns`.
const OPTIONS: &[(Rule, &[&str], &[&str])] = &[
    (
        PackageRemoval,
        &["dpkg"],
        &["-r", "-P", "--remove", "--purge"],
    ),
    (PackageRemoval, &["rpm"], &["-e", "--erase"]),
    (
        PackageRemoval,
        &["pacman", "yay", "paru"],
        &["-R", "--remove"],
    ),
    (
        PackageRemoval,
        &["emerge"],
        &["-C", "-c", "--unmerge", "--depclean", "--prune"],
    ),
    (PackageRemoval, &["nix-env"], &["-e", "--uninstall"]),
    (
        PackageRemoval,
        &["apt", "apt-get"],
        &["--purge", "--auto-remove"],
    ),
    (
        Deletion,
        &["rsync"],
        &[
            "--delete",
            "--delete-after",
            "--delete-before",
            "--delete-excluded",
            "--delete-during",
            "--remove-source-files",
        ],
    ),
    (Deletion, &["crontab"], &["-r"]),
    (Deletion, &["truncate"], &["-s", "--size"]),
    (Deletion, &["find"], &["-delete"]),
    (
        Deletion,
        &["remove-item", "ri"],
        &["-recurse", "-force", "-Recurse", "-Force", "-r"],
    ),
    (
        Deletion,
        &["del", "erase", "rd", "rmdir"],
        &["/s", "/f", "/q", "/S", "/F", "/Q"],
    ),
    (
        Credentials,
        &["gpg", "gpg2"],
        &[
            "--delete-keys",
            "--delete-secret-keys",
            "--delete-key",
            "--delete-secret-key",
            "--gen-key",
            "--full-generate-key",
            "--edit-key",
            "--import",
            "--generate-key",
        ],
    ),
    (Credentials, &["ssh-add"], &["-d", "-D", "-x"]),
    (Shutdown, &["systemctl"], &["--firmware-setup"]),
];

/// Sub-commands of git that are dangerous with one of these options.
const GIT: &[(&str, &[&str])] = &[
    ("clean", &["-f", "--force"]),
    ("reset", &["--hard", "--merge", "--keep"]),
    (
        "push",
        &[
            "-f",
            "--force",
            "--force-with-lease",
            "--delete",
            "-d",
            "--mirror",
            "--prune",
        ],
    ),
    ("branch", &["-D", "-d", "--delete"]),
    ("tag", &["-d", "--delete"]),
    ("checkout", &["-f", "--force"]),
    ("switch", &["-f", "--force", "--discard-changes"]),
    ("rm", &["-r", "-f", "--force"]),
    ("gc", &["--prune", "--prune=now"]),
    ("worktree", &["-f", "--force"]),
];

/// Programs that run their arguments as a command; files they delete are many.
const REPEATING: &[&str] = &["xargs", "find", "fd", "fdfind", "parallel", "watch"];

pub(super) fn refusal(name: &str, arguments: &[&str]) -> Option<Rule> {
    let always = ALWAYS
        .iter()
        .find(|(_, names)| names.contains(&name))
        .map(|(rule, _)| *rule);
    always
        .or_else(|| by_word(name, arguments))
        .or_else(|| by_option(name, arguments))
        .or_else(|| special(name, arguments))
}

fn by_word(name: &str, arguments: &[&str]) -> Option<Rule> {
    let words: Vec<&str> = arguments
        .iter()
        .filter(|word| !is_option(word))
        .copied()
        .collect();
    let is_given = |wanted: &str| {
        let wanted: Vec<&str> = wanted.split(' ').collect();
        // The value of an option may be before the sub-command: `kubectl -n NAME delete`.
        let before = words.len().min(3);
        (0..before).any(|at| words[at..].starts_with(&wanted))
            && (words.starts_with(&wanted) || arguments.first().is_some_and(|word| is_option(word)))
    };
    let found = SUBCOMMANDS.iter().find(|(_, names, wanted)| {
        names.contains(&name) && wanted.iter().any(|words| is_given(words))
    });
    found.map(|(rule, _, _)| *rule)
}

fn by_option(name: &str, arguments: &[&str]) -> Option<Rule> {
    let found = OPTIONS
        .iter()
        .find(|(_, names, wanted)| names.contains(&name) && has_option(arguments, wanted));
    found.map(|(rule, _, _)| *rule)
}

fn special(name: &str, arguments: &[&str]) -> Option<Rule> {
    let rule = match name {
        "rm" | "grm" if deletes_by_force(arguments) => Deletion,
        "python" | "python3"
            if has_pair(arguments, "-m", &["pip"]) && arguments.contains(&"uninstall") =>
        {
            PackageRemoval
        }
        "git"
            if arguments.iter().any(|word| {
                GIT.iter()
                    .any(|(command, options)| word == command && has_option(arguments, options))
            }) =>
        {
            Deletion
        }
        "docker" | "podman"
            if matches!(arguments, ["rm" | "rmi", ..])
                && has_option(arguments, &["-f", "--force", "-v"]) =>
        {
            Deletion
        }
        "aws"
            if matches!(arguments, ["s3", "rm" | "rb", ..])
                && has_option(arguments, &["--recursive", "--force"]) =>
        {
            Deletion
        }
        "gsutil" if arguments.contains(&"rm") && has_option(arguments, &["-r", "-R", "-a"]) => {
            Deletion
        }
        _ if REPEATING.contains(&name)
            && arguments
                .iter()
                .any(|word| matches!(*word, "rm" | "/bin/rm" | "unlink" | "shred")) =>
        {
            Deletion
        }
        "kill" | "pkill" | "killall"
            if arguments
                .iter()
                .skip(1)
                .any(|word| matches!(*word, "-1" | "1")) =>
        {
            Shutdown
        }
        "passwd" if !has_option(arguments, &["-S", "--status"]) => Credentials,
        "chage" if !has_option(arguments, &["-l", "--list"]) => Credentials,
        "ssh-keygen" if !has_option(arguments, &["-l", "-F", "-y", "-B", "-L"]) => Credentials,
        _ => return None,
    };
    Some(rule)
}

/// Returns whether the options of rm ask for recursion or force, in any spelling that it accepts: `-fR`, `--rec`.
fn deletes_by_force(arguments: &[&str]) -> bool {
    let options = arguments.iter().take_while(|word| **word != "--");
    options
        .filter(|word| is_option(word))
        .any(|word| match word.strip_prefix("--") {
            Some(name) => {
                !name.is_empty()
                    && ["recursive", "force", "no-preserve-root"]
                        .iter()
                        .any(|option| option.starts_with(name))
            }
            None => word.contains(['r', 'R', 'f']),
        })
}

/// Returns whether one of the options is among the arguments, a single letter also within others.
fn has_option(arguments: &[&str], wanted: &[&str]) -> bool {
    arguments.iter().any(|word| {
        wanted.iter().any(|option| {
            let letter = option.strip_prefix('-').filter(|letter| letter.len() == 1);
            let is_among = |letter: &str| {
                is_option(word)
                    && !word.starts_with("--")
                    && word.len() <= 5
                    && word.contains(letter)
            };
            word == option
                || letter.is_some_and(is_among)
                || word
                    .strip_prefix(option)
                    .is_some_and(|rest| rest.starts_with('='))
        })
    })
}

fn has_pair(arguments: &[&str], first: &str, second: &[&str]) -> bool {
    arguments
        .windows(2)
        .any(|pair| pair[0] == first && second.contains(&pair[1]))
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}
