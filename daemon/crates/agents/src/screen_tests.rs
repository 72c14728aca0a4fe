use super::*;
use crate::programs::Programs;

fn rows(screen: &str) -> Vec<String> {
    screen.lines().map(str::to_owned).collect()
}

fn claude(screen: &str) -> Shown {
    let programs = Programs::with(&[]).unwrap();
    read(
        &rows(screen),
        &programs.of_executable("claude").unwrap().marks,
    )
}

macro_rules! screen {
    ($name:literal) => {
        include_str!(concat!("screens/", $name, ".txt"))
    };
}

/// Screens of Claude Code 2.1.330.
#[test]
fn the_screens_of_claude_code_are_read() {
    for (screen, question, choices) in [
        (
            screen!("claude-permission-bash"),
            "Do you want to proceed?",
            4,
        ),
        (
            screen!("claude-permission-write"),
            "Do you want to create b.txt?",
            3,
        ),
        (screen!("claude-question"), "Which colour?", 4),
        (
            screen!("claude-permission-fetch"),
            "Do you want to allow Claude to fetch this content?",
            3,
        ),
    ] {
        let Shown::Dialog(dialog) = claude(screen) else {
            panic!("{screen}");
        };
        assert!(dialog.text.contains(question), "{}", dialog.text);
        assert_eq!(dialog.choices.len(), choices, "{screen}");
    }
    for screen in [
        screen!("claude-start"),
        screen!("claude-idle"),
        screen!("claude-rejected"),
        screen!("claude-typed"),
    ] {
        assert_eq!(claude(screen), Shown::Nothing, "{screen}");
    }
    assert_eq!(claude(screen!("claude-works")), Shown::Work);
}

#[test]
fn a_dialog_shows_the_question_however_it_is_wrapped() {
    let Shown::Dialog(dialog) = claude(screen!("claude-permission-bash")) else {
        panic!("no dialog");
    };
    assert!(dialog.shows("touch new.txt &&\n  sleep 3"));
    assert!(!dialog.shows("rm -rf /"));
    let choices = dialog.choices();
    assert_eq!((&*choices[0], &*choices[3]), ("Yes", "No"));
    assert_eq!(dialog.choices[1].0, "2");
}

#[test]
fn other_programs_ask_with_letters_or_numbers() {
    let any = Marks::default();
    for (screen, question, choices) in [
        (
            "Adding a.py\nEdit the files? (Y)es/(N)o [Yes]: ",
            "Edit the files? (Y)es/(N)o [Yes]:",
            2,
        ),
        ("Continue? [y/N]", "Continue? [y/N]", 2),
        (
            "│ Apply this change?\n│\n│ ● 1. Yes, allow once\n│   2. Yes, allow always\n│   3. No (esc)\n",
            "Apply this change?",
            3,
        ),
    ] {
        let Shown::Dialog(dialog) = read(&rows(screen), &any) else {
            panic!("{screen}");
        };
        assert!(dialog.text.contains(question), "{}", dialog.text);
        assert_eq!(dialog.choices.len(), choices, "{screen}");
    }
    for screen in [
        "",
        "$ ",
        "1. one\n2. two",
        "❯ 1. only",
        "Done [y/n] was answered\n$ ",
    ] {
        assert_eq!(read(&rows(screen), &any), Shown::Unknown, "{screen}");
    }
}

#[test]
fn any_rows_can_be_read() {
    let odd = [
        "",
        "❯ 1. ",
        "❯ 99. x",
        "────────────",
        "1. a\u{0}\u{1b}[2J",
        "❯ 2. b",
        "(y/n)",
    ];
    for first in odd {
        for second in odd {
            for third in odd {
                let _ = read(
                    &[first, second, third].map(str::to_owned),
                    &Marks::default(),
                );
            }
        }
    }
}

#[test]
fn a_permission_is_shown_by_what_it_is_about() {
    let permission = |text: &str| AgentQuestion::new(QuestionKind::Permission, text.into());
    let dialog = |screen| match claude(screen) {
        Shown::Dialog(dialog) => dialog,
        _ => panic!("{screen}"),
    };
    let write = dialog(screen!("claude-permission-write"));
    let bash = dialog(screen!("claude-permission-bash"));
    for (dialog, text, expected) in [
        (&write, "Write: /srv/shop/b.txt", true),
        (&write, "Write: /srv/shop/c.txt", false),
        (&write, "Bash: cp x /srv/b.txt", false),
        (&bash, "Bash: touch new.txt && sleep 3", true),
        (&bash, "Bash: touch new.txt && sleep 30", false),
        (&bash, "Bash: ls build/*", false),
        (&bash, "Bash: *", false),
    ] {
        assert_eq!(
            dialog.is_of(&permission(text), Known::Fact),
            expected,
            "{text}"
        );
    }
    let plan = AgentQuestion::new(QuestionKind::Plan, "1. do".into());
    assert!(!bash.is_of(&plan, Known::Fact));
    // A guess is what the whole box says.
    assert!(bash.text.contains("touch new.txt") && bash.text.ends_with("proceed?"));
    let guess = AgentQuestion::new(QuestionKind::Question, bash.text.clone());
    assert!(bash.is_of(&guess, Known::Guess) && !write.is_of(&guess, Known::Guess));
}
