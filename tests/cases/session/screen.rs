//! The screen as text, as data and as an image, of live and ended sessions.

use crate::support::session::{OpenSession, assert_has, assert_lacks, lacks, message_of, program};
use crate::support::worker::{is_one_process, kill_worker};
use crate::support::{Ccctl, Daemon, eventually};
use ccd_protocol::session::{
    CellRun, Color, CursorShape, ScreenFormat, SessionCreateParams, SessionScreen,
    SessionScreenParams, SessionScreenReply,
};
use serde_json::{Value, json};
use std::fs;

fn look_at(daemon: &Daemon, session: &str, format: ScreenFormat) -> SessionScreenReply {
    let params = SessionScreenParams {
        session: session.to_owned(),
        format,
        ..SessionScreenParams::default()
    };
    daemon.call::<SessionScreen>(&params).unwrap()
}

fn look(session: &OpenSession<'_>, format: ScreenFormat) -> SessionScreenReply {
    look_at(session.daemon, session.id(), format)
}

/// Returns the lines and the image.
fn shown(daemon: &Daemon, session: &str) -> (Vec<String>, String) {
    let reply = look_at(daemon, session, ScreenFormat::Svg);
    (reply.lines, reply.svg.unwrap())
}

fn picture(session: &OpenSession<'_>) -> String {
    shown(session.daemon, session.id()).1
}

/// Requests the screen until a line contains this text; returns the runs of all lines.
fn cells_with(session: &OpenSession<'_>, text: &str) -> Vec<Vec<CellRun>> {
    eventually(text, || {
        let reply = look(session, ScreenFormat::Cells);
        let is_there = reply.lines.iter().any(|line| line.contains(text));
        is_there.then(|| reply.cells.unwrap())
    })
}

/// Returns the run with exactly this text.
fn run<'a>(cells: &'a [Vec<CellRun>], text: &str) -> &'a CellRun {
    let mut runs = cells.iter().flatten();
    let run = runs.find(|run| run.text.trim() == text);
    run.unwrap_or_else(|| panic!("{text:?} is not a run of {cells:?}"))
}

/// Starts a program that prints this and keeps running.
fn printing<'a>(daemon: &'a Daemon, output: &str) -> OpenSession<'a> {
    let session = daemon.open("sh", &["-c", "printf \"$0\"; exec cat", output]);
    session.expect("end");
    session
}

#[test]
fn cells_tell_their_colours_and_styles() {
    let daemon = Daemon::start();
    let output = r"\033[1;31mbold\033[0;3;48;5;200m italic \033[0;4;38;2;1;2;3mmixed\033[0;2;7mdim\033[0m\r\n語end\033[6 q";
    let session = printing(&daemon, output);
    let reply = look(&session, ScreenFormat::Cells);
    let cursor = (reply.cursor.shape, reply.cursor.blink);
    assert_eq!(cursor, (CursorShape::Bar, false));
    let cells = reply.cells.unwrap();
    let bold = run(&cells, "bold");
    assert!(bold.style.bold && bold.style.fg == Some(Color::Indexed(1)));
    let italic = run(&cells, "italic");
    assert!(italic.style.italic && italic.style.bg == Some(Color::Indexed(200)));
    assert_eq!((italic.col, italic.width), (4, 8));
    let mixed = run(&cells, "mixed");
    assert!(mixed.style.underline && mixed.style.fg == Some(Color::Rgb(1, 2, 3)));
    let dim = run(&cells, "dim");
    assert!(dim.style.dim && dim.style.inverse && !dim.style.bold);
    assert_eq!((run(&cells, "語end").width, &cells[2]), (5, &Vec::new()));
    assert!(look(&session, ScreenFormat::Text).cells.is_none());
}

#[test]
fn a_part_of_the_rows_is_returned_where_that_is_asked_for() {
    let daemon = Daemon::start();
    let session = printing(&daemon, r"1\r\n2\r\n3\r\nend");
    let mut connection = daemon.connect();
    let mut ask = |more: Value| {
        let mut params = json!({"session": session.id(), "format": "CELLS"});
        params
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        connection.call_value("session.screen", &params)
    };
    let part = ask(json!({"first_row": 1, "max_rows": 2})).unwrap();
    assert_eq!(part["lines"], json!(["2", "3"]));
    assert_eq!((&part["first_row"], &part["rows"]), (&json!(1), &json!(24)));
    assert_eq!(part["cells"].as_array().unwrap().len(), 2);
    assert_eq!(ask(json!({"first_row": 23})).unwrap()["lines"], json!([""]));
    for wrong in [json!({"first_row": 24}), json!({"max_rows": 0})] {
        assert_eq!(ask(wrong).unwrap_err()["data"]["kind"], "invalid_argument");
    }
}

#[test]
fn a_picture_shows_what_vim_shows() {
    if lacks(&["vim"]) {
        return;
    }
    let daemon = Daemon::start();
    let file = daemon.home().join("hello.c");
    fs::write(&file, "int main(void) { return 42; } /* 世界 */\n").unwrap();
    let options = ["-u", "NONE", "-i", "NONE", "-n", "+syntax on"];
    let args = [&options[..], &[file.to_str().unwrap()]].concat();
    let vim = daemon.open_with(&SessionCreateParams {
        env: [("TERM".to_owned(), "xterm-256color".to_owned())].into(),
        ..program(&daemon, "vim", &args)
    });
    let cells = cells_with(&vim, "世界");
    assert!(run(&cells, "int").style.fg.is_some());
    assert_ne!(run(&cells, "int").style, run(&cells, "42").style);
    let picture = picture(&vim);
    assert_has(&picture, [">void</text>", ">世</text>"]);
    assert_lacks(&picture, ["href", "script"]);
}

#[test]
fn the_screen_of_an_ended_session_stays_as_it_was() {
    let mut daemon = Daemon::start();
    // What was on the alternate screen disappears with it.
    let left = r"printf '\033[31mbefore\033[?1049hinside\033[?1049l after'";
    let inside = r"printf '\033]2;a <title>\007before\033[?1049h\033[Hinside\033[3;3H'";
    let ids = [left, inside].map(|script| {
        let session = daemon.open("sh", &["-c", script]);
        session.ended();
        session.id().to_owned()
    });
    let before = ids.each_ref().map(|id| shown(&daemon, id));
    assert_eq!(before[0].0[0], "before after");
    assert_eq!(before[1].0[0], "inside");
    // The cursor is hollow.
    let parts = ["<title>a &lt;title&gt;</title>", "fill=\"none\" stroke="];
    assert_has(&before[1].1, parts);
    daemon.stop();
    daemon.restart();
    assert_eq!(ids.each_ref().map(|id| shown(&daemon, id)), before);
    assert!(look_at(&daemon, &ids[1], ScreenFormat::Text).alternate);
}

/// The last column, where these numbers appear, depends on the size of the terminal at that time.
const WRAPS: &str =
    r"printf '\033[200G7\r\n'; printf ready; read line; printf '\033[200G8\r\n'; printf end";

#[test]
fn an_ended_session_is_drawn_in_the_sizes_that_it_had() {
    for is_killed in [false, true] {
        let mut daemon = Daemon::start();
        let session = daemon.open("sh", &["-c", WRAPS]);
        let id = session.id().to_owned();
        session.expect("ready");
        session.resize(20, 120);
        if is_killed {
            let sizes = daemon.home().join("sessions").join(&id).join("sizes.json");
            eventually("the sizes are stored", || sizes.exists().then_some(()));
            session.line("");
            session.expect("end");
            daemon.kill();
        } else {
            session.line("");
            session.ended();
            daemon.stop();
        }
        daemon.restart();
        let drawn = look_at(&daemon, &id, ScreenFormat::Text);
        assert_eq!((drawn.rows, drawn.cols), (20, 120));
        let lengths: Vec<usize> = drawn.lines.iter().map(String::len).collect();
        assert_eq!(lengths[..4], [80, 5, 120, 3]);
    }
}

#[test]
fn changed_colours_and_the_screen_behind_are_there_after_a_kill_of_the_worker() {
    let daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    // Enough to be saved, after a look.
    let script =
        r"printf '\033]4;1;#123456\007\033[?5h'; seq 200000; printf '\033[41mred'; exec cat";
    let session = daemon.open("sh", &["-c", script]);
    session.expect("red");
    let before = picture(&session);
    assert_has(&before, ["fill=\"#123456\""]);
    kill_worker(&daemon);
    assert_eq!(picture(&session), before);
}

#[test]
fn the_client_prints_text_data_and_pictures() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let session = printing(&daemon, r"\033[1;31mred\033[m <&\r\n\033[7mend");
    let of_session =
        |words: &[&str]| ccctl.run(&[&["session", "screen", session.id()], words].concat());
    // No colours in a pipe.
    assert_eq!(of_session(&[]).stdout, "red <&\nend\n");
    let json: Value = serde_json::from_str(&of_session(&["--json"]).stdout).unwrap();
    let red = json!({"col": 0, "width": 3, "text": "red", "fg": 1, "bold": true});
    assert_eq!(json["cells"][0][0], red);
    assert_eq!(json["cursor"]["shape"], "block");
    let table = of_session(&["--cells", "--first-row", "1", "--cursor"]);
    assert_has(&table.stdout, ["inverse  \"end\""]);
    assert_eq!(table.stderr, "ccctl: cursor: row 1, column 3\n");
    let file = daemon.home().join("a picture.svg");
    let to_file = of_session(&["--svg", file.to_str().unwrap()]);
    let printed = (to_file.code, &*to_file.stdout);
    assert_eq!(printed, (Some(0), ""), "{}", to_file.stderr);
    let drawn = fs::read_to_string(&file).unwrap();
    assert_has(&drawn, [">&lt;&amp;</text>", "<title>sh</title>"]);
    assert_eq!(of_session(&["--svg", "-"]).stdout, drawn);
    let style = ["--theme", "dracula", "--padding", "0", "--window", "--crop"];
    let styled = of_session(&[&["--svg", "-"][..], &style].concat()).stdout;
    assert_has(
        &styled,
        [r##"fill="#282a36""##, r#"width="54""#, "<circle "],
    );
    let file = daemon.home().join("a picture.png");
    assert_eq!(of_session(&["--png", file.to_str().unwrap()]).code, Some(0));
    assert!(fs::read(&file).unwrap().starts_with(b"\x89PNG\r\n"));
}

#[test]
fn the_client_refuses_what_cannot_be_drawn() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let session = daemon.open("cat", &[]);
    let folder = daemon.home().to_str().unwrap();
    for (words, code, text) in [
        (&["nosuch"][..], 4, "nosuch"),
        (&[session.id(), "--svg", folder], 1, folder),
        (&[session.id(), "--svg", "/nosuch/a.svg"], 1, "/nosuch"),
        (&[session.id(), "--svg", ""], 2, "--svg"),
        (&[session.id(), "--svg", "a.svg", "--json"], 2, "--json"),
        (&[session.id(), "--svg", "a.svg", "--cells"], 2, "--cells"),
        (&[session.id(), "--svg", "a.svg", "--png", "-"], 2, "--png"),
        (&[session.id(), "--theme", "dark"], 2, "--svg FILE"),
        (&[session.id(), "--svg", "-", "--theme", "no"], 2, "dracula"),
        (&[session.id(), "--first-row", "24"], 2, "24 rows"),
        (&[session.id(), "--max-rows", "0"], 2, "--max-rows"),
    ] {
        let ran = ccctl.run(&[&["session", "screen"], words].concat());
        assert_eq!((ran.code, &*ran.stdout), (Some(code), ""), "{words:?}");
        assert_has(&ran.stderr, [text]);
        assert_eq!(ran.stderr.lines().count(), 1, "{words:?}");
    }
    assert!(!std::path::Path::new("a.svg").exists());
}

#[test]
fn a_terminal_gets_colours_unless_they_are_unwanted() {
    let daemon = Daemon::start();
    let session = printing(&daemon, r"\033[32mgreen\033[m end");
    // Runs the client on a terminal, in its own session.
    let at_terminal = |option: &str, no_color: &str| {
        let client = env!("CARGO_BIN_EXE_ccctl_under_test");
        let words = ["session", "screen", session.id(), option];
        let mut params = program(&daemon, client, &words);
        params.env = [
            ("CCD_HOME", daemon.home().to_str().unwrap()),
            ("TERM", "xterm"),
            ("NO_COLOR", no_color),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        let watcher = daemon.open_with(&params);
        watcher.ended();
        cells_with(&watcher, "end")
    };
    let green = Some(Color::Indexed(2));
    assert_eq!(run(&at_terminal("--cursor", ""), "green").style.fg, green);
    for (option, no_color) in [("--plain", ""), ("--cursor", "1")] {
        let cells = at_terminal(option, no_color);
        assert_eq!(run(&cells, "green end").style.fg, None);
    }
}

#[test]
fn a_screen_too_large_for_a_reply_is_refused_and_drawn_in_parts() {
    let daemon = Daemon::builder()
        .config("{limits: {reply_bytes: 1000000}}")
        .start();
    let file = daemon.home().join("colours");
    let mut output = String::new();
    for cell in 0..22_500 {
        let (green, blue) = (cell >> 8, cell & 255);
        output += &format!("\x1b[1;48;2;1;{green};{blue};38;2;{blue};{green};2m*");
    }
    fs::write(&file, output).unwrap();
    let session = daemon.open_with(&SessionCreateParams {
        rows: Some(150),
        cols: Some(150),
        ..program(&daemon, "cat", &[file.to_str().unwrap()])
    });
    session.ended();
    let mut connection = daemon.connect();
    for format in ["cells", "svg"] {
        let all = json!({"session": session.id(), "format": format});
        let error = connection.error("session.screen", &all);
        assert_has(message_of(&error), ["1000000 bytes"]);
        let mut part = all;
        (part["first_row"], part["max_rows"]) = (json!(140), json!(50));
        let part = connection.ok("session.screen", &part);
        assert_eq!(part["lines"].as_array().unwrap().len(), 10);
    }
}
