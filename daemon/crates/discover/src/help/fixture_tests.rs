//! Tests with the help texts of real programs. `tests/fixtures/help/README.md` says how each was captured.

use super::{HelpText, parse};
use ccd_text::pattern::Compiled;
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/help")
}

fn help(name: &str) -> HelpText {
    let text = std::fs::read_to_string(folder().join(name).with_extension("txt")).unwrap();
    parse(&text, &Compiled::built_in())
}

/// Fixture, and the number of usage lines, options and commands, which were counted by hand or with grep.
#[rustfmt::skip]
const FIXTURES: &[(&str, usize, usize, usize)] = &[
    ("argparse_http_server", 1, 5, 0),
    ("argparse_httpie", 1, 51, 0),
    ("argparse_httpie_commands", 1, 4, 2),
    ("argparse_json_tool", 1, 8, 0),
    ("argparse_pre_commit", 1, 2, 16),
    ("argparse_subcommands_braces", 1, 3, 4),
    ("argparse_subcommands_metavar", 1, 3, 4),
    ("argparse_subcommands_title", 1, 3, 4),
    ("argparse_venv", 1, 9, 0),
    ("bash", 2, 18, 0),
    ("bash_help", 0, 0, 69),
    ("bash_help_cd", 0, 4, 0),
    ("busybox", 5, 1, 258),
    ("busybox_ls", 1, 28, 0),
    ("busybox_tar", 1, 20, 0),
    ("busybox_wget", 1, 13, 0),
    ("cargo", 2, 13, 16),
    ("cargo_build", 1, 39, 0),
    ("cargo_list", 0, 0, 49),
    ("clap_fd", 1, 44, 0),
    ("clap_rg", 8, 100, 0),
    ("clap_rg_short", 8, 100, 0),
    ("claude", 1, 57, 12),
    ("click_black", 1, 31, 0),
    ("click_flask", 1, 5, 3),
    ("click_flask_run", 1, 11, 0),
    ("cobra_docker", 1, 11, 57),
    ("cobra_docker_run", 1, 104, 0),
    ("cobra_gh", 1, 2, 21),
    ("cobra_gh_pr", 1, 2, 16),
    ("cobra_kubectl", 1, 0, 42),
    ("cobra_kubectl_get", 1, 23, 0),
    ("curl", 1, 12, 0),
    ("curl_all", 1, 250, 0),
    ("dc", 1, 4, 0),
    ("docker_compose", 2, 19, 25),
    ("docopt_naval_fate", 6, 5, 2),
    ("docopt_num2words", 4, 6, 0),
    ("ed", 1, 11, 0),
    ("gcc", 1, 41, 0),
    ("gdb_help", 0, 0, 13),
    ("gdb_help_data", 0, 0, 498),
    ("git", 1, 19, 22),
    ("git_commit_h", 1, 38, 0),
    ("git_help_all", 0, 0, 138),
    ("git_stash_h", 11, 12, 0),
    ("gnu_bc", 1, 7, 0),
    ("gnu_echo", 2, 5, 0),
    ("gnu_gdb", 2, 33, 0),
    ("gnu_grep", 1, 49, 0),
    ("gnu_less", 0, 55, 0),
    ("gnu_ls", 1, 60, 0),
    ("gnu_sort", 2, 31, 0),
    ("gnu_tar", 1, 158, 0),
    ("htop", 0, 13, 0),
    ("jq", 3, 17, 0),
    ("lftp_help", 0, 0, 51),
    ("lftp_help_80", 0, 0, 51),
    ("lua", 1, 8, 0),
    ("make", 1, 32, 0),
    ("man_git_stash", 11, 11, 11),
    ("man_less", 7, 69, 42),
    ("man_ls", 1, 60, 0),
    ("man_ssh", 1, 44, 0),
    ("mysql", 1, 86, 0),
    ("nano", 1, 54, 0),
    ("nextest", 1, 11, 7),
    ("nextest_run", 1, 83, 0),
    ("node", 2, 152, 0),
    ("node_help", 0, 0, 7),
    ("npm", 8, 0, 72),
    ("openssl", 0, 0, 151),
    ("pip", 1, 25, 17),
    ("ps", 1, 36, 0),
    ("psql", 1, 36, 0),
    ("psql_slash", 0, 0, 105),
    ("psql_statements", 0, 0, 184),
    ("pygmentize", 1, 20, 0),
    ("python3", 1, 26, 0),
    ("python_cmd", 0, 0, 6),
    ("python_help", 0, 0, 35),
    ("python_help_topics", 0, 0, 69),
    ("redis_cli", 1, 61, 0),
    ("redis_cli_help", 0, 0, 3),
    ("rustc", 1, 29, 0),
    ("rustup", 1, 4, 18),
    ("sqlite3", 1, 39, 0),
    ("sqlite3_dot", 0, 0, 66),
    ("ssh", 1, 44, 0),
    ("systemctl", 1, 51, 68),
    ("tmux", 1, 13, 0),
    ("tmux_list", 0, 0, 90),
    ("vim", 4, 42, 0),
];

#[test]
fn each_real_text_is_recognised_and_read_completely() {
    let wrong: Vec<String> = FIXTURES
        .iter()
        .filter_map(|&(name, usage, options, commands)| {
            let help = help(name);
            let found = (help.usage.len(), help.options.len(), help.commands.len());
            (found != (usage, options, commands)).then(|| format!("{name}: {found:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let files = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let texts = files.filter(|path| path.extension().is_some_and(|extension| extension == "txt"));
    assert_eq!(texts.count(), FIXTURES.len());
}

fn names(name: &str) -> Vec<String> {
    help(name)
        .commands
        .into_iter()
        .map(|command| command.name)
        .collect()
}

fn flags(name: &str) -> Vec<String> {
    help(name)
        .options
        .into_iter()
        .map(|option| option.flags.join(" "))
        .collect()
}

#[test]
fn the_names_in_short_texts_are_exact() {
    assert_eq!(
        flags("argparse_http_server"),
        [
            "-h --help",
            "--cgi",
            "-b --bind",
            "-d --directory",
            "-p --protocol"
        ]
    );
    assert_eq!(
        flags("gnu_bc"),
        [
            "-h --help",
            "-i --interactive",
            "-l --mathlib",
            "-q --quiet",
            "-s --standard",
            "-w --warn",
            "-v --version"
        ]
    );
    assert_eq!(
        flags("click_flask"),
        [
            "-e --env-file",
            "-A --app",
            "--debug --no-debug",
            "--version",
            "--help"
        ]
    );
    assert_eq!(
        flags("docopt_naval_fate"),
        [
            "-h --help",
            "--version",
            "--speed",
            "--moored",
            "--drifting"
        ]
    );
    assert_eq!(
        flags("lua"),
        ["-e", "-i", "-l", "-v", "-E", "-W", "--", "-"]
    );
    assert_eq!(names("docopt_naval_fate"), ["ship", "mine"]);
    assert_eq!(names("argparse_httpie_commands"), ["cli", "plugins"]);
    for style in ["braces", "metavar", "title"] {
        let names = names(&format!("argparse_subcommands_{style}"));
        assert_eq!(names, ["add", "list", "compare-with-supplier", "rm"]);
    }
    assert_eq!(names("click_flask"), ["routes", "run", "shell"]);
    assert_eq!(
        names("nextest"),
        [
            "list",
            "run",
            "bench",
            "archive",
            "show-config",
            "self",
            "help"
        ]
    );
    assert_eq!(
        names("node_help"),
        [
            ".break", ".clear", ".editor", ".exit", ".help", ".load", ".save"
        ]
    );
    assert_eq!(
        names("python_cmd"),
        ["add", "help", "list", "remove", "quit", "total"]
    );
    assert_eq!(names("gdb_help")[..3], ["aliases", "breakpoints", "data"]);
    assert_eq!(
        names("git")[..6],
        ["clone", "init", "add", "mv", "restore", "rm"]
    );
}

/// Fixture, the flags of an option or the name of a command, and the start of its description.
#[rustfmt::skip]
const SAMPLES: &[(&str, &str, &str)] = &[
    ("sqlite3_dot", ".backup", "Backup DB (default \"main\") to FILE"),
    ("sqlite3_dot", ".width", "Set minimum column widths for columnar output"),
    ("psql_slash", "\\crosstabview", "execute query and display result in crosstab"),
    ("psql_slash", "\\g", "execute query (and send result to file or |pipe); \\g with no arguments"),
    ("psql_slash", "\\dt", "list tables"),
    ("gdb_help_data", "append binary value", "Append the value of an expression to a raw binary file."),
    ("git_help_all", "cherry-pick", "Apply the changes introduced by some existing commits"),
    ("git_help_all", "credential-gcloud.sh", ""),
    ("argparse_pre_commit", "autoupdate", "Auto-update"),
    ("argparse_subcommands_metavar", "list", "list the items, with a text that needs more than one line in the help"),
    ("argparse_subcommands_title", "compare-with-supplier", "compare with the supplier"),
    ("cargo", "build", "Compile the current package"),
    ("cargo_list", "locate-project", "Print a JSON representation of a Cargo.toml file's location"),
    ("cargo_list", "nextest", ""),
    ("cobra_kubectl", "api-resources", "Print the supported API resources on the server"),
    ("cobra_docker", "network", "Manage networks"),
    ("cobra_gh", "ssh-key", "Manage SSH keys"),
    ("systemctl", "list-automounts", "List automount units currently in memory, ordered by path"),
    ("claude", "doctor", "Check the health of your Claude Code auto-updater."),
    ("man_git_stash", "push", "Save your local modifications to a new stash entry"),
    ("busybox", "wget", ""),
    ("npm", "approve-scripts", ""),
    ("openssl", "x509", ""),
    ("bash_help", "mapfile", ""),
    ("python_help", "lambda", ""),
    ("gnu_tar", "-A --catenate --concatenate", "append tar files to an archive"),
    ("gnu_tar", "-g --listed-incremental", "handle new GNU-format incremental backup"),
    ("gnu_tar", "--occurrence", "process only the NUMBERth occurrence of each file in the archive; this option"),
    ("gnu_less", "-? --help", "Display help (from command line)."),
    ("gnu_gdb", "--command -x", "Execute GDB commands from FILE."),
    ("curl_all", "-u --user", "Server user and password"),
    ("clap_rg", "-A --after-context", "Show NUM lines after each match."),
    ("clap_fd", "-u --unrestricted", "Perform an unrestricted search, including ignored and hidden files."),
    ("click_black", "-t --target-version", "Python versions that should be supported by Black's output."),
    ("cobra_docker_run", "-a --attach", "Attach to STDIN, STDOUT or STDERR"),
    ("cobra_kubectl_get", "-A --all-namespaces", "If present, list the requested object(s) across all namespaces."),
    ("argparse_venv", "--system-site-packages", "Give the virtual environment access to the system site-packages dir."),
    ("git_commit_h", "-m --message --no-message", "commit message"),
    ("man_ls", "-b --escape", "print C-style escapes for nongraphic characters"),
    ("man_ssh", "-c", "Selects the cipher specification for encrypting the session."),
    ("python3", "-c", "program passed in as string (terminates option list)"),
    ("psql", "-v --set --variable", "set psql variable NAME to VALUE"),
    ("sqlite3", "-header -noheader", "turn headers on or off"),
    ("nano", "-J --guidestripe", "Show a guiding bar at this column"),
    ("vim", "-T", "Set terminal type to <terminal>"),
    ("htop", "-H --highlight-changes", "Highlight new and old processes"),
    ("gcc", "-print-multi-os-directory", "Display the relative path to OS libraries."),
    ("rustc", "-L", "Add a directory to the library search path."),
    ("node", "--build-snapshot-config", "Generate a snapshot blob when the process exits using aJSON configuration"),
    ("ps", "-p --pid", "process id"),
    ("claude", "--disallowedTools --disallowed-tools", "Comma or space-separated list of tool names to deny"),
    ("busybox_ls", "--full-time", "List full date/time"),
];

#[test]
fn descriptions_belong_to_their_names() {
    let mut wrong = Vec::new();
    for &(fixture, name, description) in SAMPLES {
        let help = help(fixture);
        let option = help
            .options
            .iter()
            .find(|option| option.flags.join(" ") == name);
        let command = help.commands.iter().find(|command| command.name == name);
        let found = option
            .map(|option| &option.description)
            .or(command.map(|command| &command.description));
        let is_right = found.is_some_and(|found| {
            found.starts_with(description) && found.is_empty() == description.is_empty()
        });
        if !is_right {
            wrong.push(format!("{fixture} {name}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn usage_lines_are_whole() {
    assert_eq!(help("ssh").usage[0].split(' ').next(), Some("ssh"));
    assert!(help("ssh").usage[0].ends_with("destination [command [argument ...]]"));
    assert_eq!(help("psql").usage, ["psql [OPTION]... [DBNAME [USERNAME]]"]);
    assert_eq!(
        help("systemctl").usage,
        ["systemctl [OPTIONS...] COMMAND ..."]
    );
    assert_eq!(
        help("gnu_gdb").usage[1],
        "gdb [options] --args executable-file [inferior-arguments ...]"
    );
    assert_eq!(help("vim").usage[1], "vim [arguments] -");
    assert_eq!(help("git_stash_h").usage[9], "git stash create [<message>]");
}

#[test]
fn arguments_and_aliases_are_kept() {
    let command = |fixture: &str, name: &str| {
        let found = help(fixture)
            .commands
            .into_iter()
            .find(|command| command.name == name);
        found.unwrap()
    };
    assert_eq!(command("sqlite3_dot", ".import").arguments, "FILE TABLE");
    assert_eq!(command("tmux_list", "has-session").aliases, ["has"]);
    assert_eq!(
        command("tmux_list", "has-session").arguments,
        "[-t target-session]"
    );
    assert_eq!(command("cargo", "build").aliases, ["b"]);
    let list = command("argparse_subcommands_metavar", "list");
    assert_eq!(list.aliases, ["ls", "l"]);
    assert_eq!(command("systemctl", "start").arguments, "UNIT...");
}

#[test]
fn the_pattern_library_reads_what_has_no_known_shape() {
    let help = parse(
        "help: Show help\nlist: List items\nset K V - Set a value\n",
        &Compiled::built_in(),
    );
    let names: Vec<_> = help.commands.iter().map(|command| &*command.name).collect();
    assert_eq!(names[..2], ["help", "list"]);
    assert_eq!(parse("", &Compiled::built_in()).commands, []);
}
#[test]
fn small_interactive_programs_list_their_commands_in_many_forms() {
    let library = Compiled::built_in();
    for (text, wanted) in [
        (
            "Available commands:\n  help - Show it\n  set K V - Set it\n",
            "help=Show it set=Set it",
        ),
        (
            "Available commands:\nhelp - Show it\nset K V - Set it\n",
            "help=Show it set=Set it",
        ),
        (
            "Commands:\n  help: show it\n  add ITEM: add it\n",
            "help=show it add=add it",
        ),
        (
            "Commands:\n- help: show it\n- add: add it\n",
            "help=show it add=add it",
        ),
        ("Commands: help, config, exit\n", "help= config= exit="),
        ("Available commands: help, quit.\n", "help= quit="),
        ("Commands:\n  help\n  data <name>\n", "help= data="),
        (
            "help       Show it\nconfig     Enter it\n",
            "help=Show it config=Enter it",
        ),
        (
            "You can use:\n\tadd\tAdd it\n\trm\tRemove it\n",
            "add=Add it rm=Remove it",
        ),
        (
            "=== Help ===\nhelp, h, ?   show it\nquit, q      leave\n",
            "help=show it quit=leave",
        ),
        (
            "/help  Show it\n/exit  Leave\n",
            "/help=Show it /exit=Leave",
        ),
        ("the answer is\n42\n", ""),
        ("total 4\nsome words of prose\n", ""),
    ] {
        let commands = parse(text, &library).commands;
        let found: Vec<String> = commands
            .iter()
            .map(|command| format!("{}={}", command.name, command.description))
            .collect();
        assert_eq!(found.join(" "), wanted, "{text}");
    }
}
