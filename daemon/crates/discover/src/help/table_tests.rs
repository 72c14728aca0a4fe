//! Tables whose second column is commands, or descriptions; and commands in quotes.

use super::parse;
use ccd_text::pattern::Compiled;

#[test]
fn a_second_column_is_commands_if_it_reads_as_the_first() {
    let library = Compiled::built_in();
    for (text, wanted) in [
        (
            "  du [options] <dirs>      edit [OPTS] <file>\n  [re]cls [opts]           kill all|<job>\n  cd <dir>                 mv <a> <b>\n",
            "du= edit= cls= kill= cd= mv=",
        ),
        (
            "  get <file>               fetch a file\n  du [options] <dirs>      show [disk] space\n  cd <dir>                 change to <dir>\n",
            "get=fetch a file du=show [disk] space cd=change to <dir>",
        ),
        (
            "get <key>\nput <key> <value>\ndel <key>\nquit\n",
            "get= put= del= quit=",
        ),
        (
            "Try:\n  \"quit\" to exit\n  \"help <topic>\" for help\n\n  `ls\' - list\n",
            "quit=to exit help=for help ls=list",
        ),
        ("{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n", ""),
        ("\"a\" \"b\"\n\"c\" \"d\"\n\"e\" \"f\"\n", ""),
    ] {
        let commands = parse(text, &library).commands;
        let found: Vec<String> = commands
            .iter()
            .map(|command| format!("{}={}", command.name, command.description))
            .collect();
        assert_eq!(found.join(" "), wanted, "{text}");
    }
}
