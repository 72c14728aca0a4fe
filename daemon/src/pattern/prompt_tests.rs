//! Which last lines are prompts.

use super::Compiled;

#[test]
fn prompts_are_recognised() {
    let prompts = [
        "$ ",
        "# ",
        "% ",
        "> ",
        "user@host:~/src$ ",
        "[root@host /]# ",
        "host% ",
        "❯ ",
        "~/src ❯ ",
        "➜ ",
        "λ ",
        ">>> ",
        "... ",
        "In [12]: ",
        "sqlite> ",
        "   ...> ",
        "mysql> ",
        "    -> ",
        "db=# ",
        "db=> ",
        "?- ",
        "127.0.0.1:6379> ",
        "irb(main):001:0> ",
        "iex(1)> ",
        ">> ",
        "(gdb) ",
        "(Pdb) ",
        "(lldb) ",
        "  DB<1> ",
        "Password: ",
        "Password:",
        "[sudo] password for me: ",
        "login: ",
        "Enter passphrase (empty for none): ",
        "Name [none]: ",
        "Overwrite? ",
        "Proceed?",
        "Continue (y/n)",
        "Continue? [Y/n] ",
        "Remove it [y/N] ",
        "Are you sure (yes/no/[fingerprint])? ",
        "--More--",
        "(END)",
        ":",
        "Press any key to continue",
        "Press ENTER or type command to continue",
        "Hit <Return> to go on",
        "パスワード：",
    ];
    let library = Compiled::built_in();
    for line in prompts {
        assert!(library.is_prompt(line), "{line:?} is a prompt");
    }
}

#[test]
fn other_output_is_not_taken_for_a_prompt() {
    let others = [
        "",
        "   ",
        "done",
        "done.",
        "100%",
        " 45% ",
        "progress 45 % done ",
        "Loading... ",
        "Compiling ccd v0.1.0",
        "std::",
        "http://host/path",
        "12:30:45",
        "warning: unused variable",
        "<html>",
        "a -> b",
        "cost 5$",
        "(see the manual)",
        "(1 of 3) ",
        "( ) ",
        "key pressed",
        "[####      ]",
        "Resolving deltas: 37",
        "y/nothing",
    ];
    let library = Compiled::built_in();
    for line in others {
        assert!(!library.is_prompt(line), "{line:?} is no prompt");
    }
}
