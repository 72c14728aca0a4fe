//! Tests which last lines are prompts.

use super::Compiled;

#[test]
fn prompts_are_recognised() {
    let prompts = [
        "➜ ",
        ">>> ",
        "... ",
        "In [12]: ",
        "   ...> ",
        "    -> ",
        "?- ",
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
        "-- More --",
        "--More--(12%)",
        "* ",
        "0] ",
        "In[1]:= ",
        "Coq < ",
        "my_lemma < ",
        "(%i1) ",
        "(END)",
        ":",
        "Press any key to continue",
        "Press ENTER or type command to continue",
        "Hit <Return> to go on",
        "パスワード：",
        "web@host ~/src> ",
        "in ~/project2$ ",
        "(venv) me@host:~/src$ ",
    ];
    let library = Compiled::built_in();
    for line in prompts {
        assert!(library.is_prompt(line), "{line:?} is a prompt");
    }
}

#[test]
fn prompts_are_recognised_with_and_without_the_blank_behind_them() {
    let prompts = [
        "Router>",
        "Router#",
        "Router(config)#",
        "Router(config-if)#",
        "switch-1.lab>",
        "cmd>",
        "main>",
        "custom-app>",
        "127.0.0.1:6379>",
        "127.0.0.1:6379[1]>",
        "irb(main):001:0>",
        "iex(1)>",
        "iex(a@host)1>",
        "1>",
        "ftp>",
        "ghci>",
        "(main)>",
        ">",
        ">>",
        "$",
        "#",
        "%",
        "sh-5.2$",
        "bash-5.2$",
        "bash-5.2#",
        "~$",
        "/tmp$",
        "/ #",
        "~/src $",
        "host%",
        "user@host:~/src$",
        "(venv) user@host:~/src$",
        "[root@host /]#",
        "root@host:/#",
        "me@host ~>",
        "(gdb)",
        "(lldb)",
        "(Pdb)",
        "(Cmd)",
        "C:\\>",
        "C:\\Users\\me and you>",
        "PS C:\\>",
        "PS /home/me>",
        "➜  ~",
        "➜  src git:(main) ✗",
        "❯",
        "~/src ❯",
        "λ",
        "db=#",
        "db=>",
        "sqlite>",
        "mysql>",
    ];
    let library = Compiled::built_in();
    for line in prompts {
        for blanks in ["", " ", "  "] {
            let line = format!("{line}{blanks}");
            // psql and Python print one blank; two mean something else.
            let known = ["db=#", "db=>", "(Cmd)", "sqlite>", "mysql>"];
            let is_fixed = blanks.len() == 2 && known.contains(&line.trim());
            assert!(is_fixed || library.is_prompt(&line), "{line:?} is a prompt");
        }
    }
}

#[test]
fn a_sign_at_the_end_is_a_prompt_where_the_program_is_seen_to_wait() {
    let library = Compiled::built_in();
    for line in [
        "what now >",
        "Enter 5$",
        "~/a b [main]",
        "Your age (in years)",
        "1 of 3 (continue)",
        "next →",
        "~/src git:(main) ✗ ",
        "web01%",
    ] {
        assert!(library.ends_as_prompt(line), "{line:?}");
        assert!(!library.is_prompt(line), "{line:?}");
    }
    for line in ["", "  ", "done", "done.", "a > b", "$ sleep 5"] {
        assert!(!library.ends_as_prompt(line), "{line:?}");
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
        "<b>bold</b>",
        "<b>bold</b> ",
        "</html> ",
        "Costs 5$",
        "Costs 5$ ",
        "5$",
        "US$",
        "done 50%",
        "done 50% ",
        "50%",
        "45.2%",
        "progress:50%",
        "a comment (see below)",
        "(see below)",
        "(none)",
        "email <me@x.org>",
        "email <me@x.org> ",
        "<me@x.org>",
        "=>",
        "=> ",
        "->",
        "-> ",
        "==>",
        "-->",
        "--> ",
        "/>",
        "width=\"3\"/>",
        "?>",
        "]]>",
        "Vec<Option<u8>>",
        "C#",
        "##",
        "### Title ###",
        "Written in C#",
        "Read more »",
        "Home ›",
        "next →",
        "x^2$",
        "[1]",
        "f(x)",
        "main()",
        "5 > 3",
        "$HOME",
        "#1",
        "%s",
    ];
    let library = Compiled::built_in();
    for line in others {
        assert!(!library.is_prompt(line), "{line:?} is no prompt");
    }
}
