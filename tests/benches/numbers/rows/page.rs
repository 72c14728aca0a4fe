//! The page of a conversation in Chromium: how soon it shows turns, how it scrolls, and how long a search takes.

use crate::Result;
use crate::args::Args;
use crate::chromium::Chromium;
use crate::daemon::Daemon;
use crate::history::History;
use crate::report::{Line, Report};
use crate::samples::Samples;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const TURNS: usize = 20_000;

const PAINT_GOAL_MS: f64 = 1000.0;
const FRAME_GOAL_MS: f64 = 50.0;

/// Only the last turn has it.
const LAST: &str = "zanzibar";

/// What runs in the page.
const PROBE: &str = include_str!("../page.js");

const WIDTH: u32 = 1280;
const HEIGHT: u32 = 900;

pub(crate) fn measure(args: &Args, report: &mut Report) -> Result<()> {
    let Some(mut chromium) = Chromium::start(WIDTH, HEIGHT)? else {
        report.note("Chromium is not installed: the rows of the page were left out.");
        return Ok(());
    };
    let daemon = Daemon::start(args, "page")?;
    let turns = args.amount(TURNS, TURNS / 20);
    let page = export(args, &daemon, turns)?;
    let source = json!({ "source": PROBE });
    chromium.call("Page.addScriptToEvaluateOnNewDocument", source)?;
    let what = format!(
        "page of {turns} turns ({:.0} MB) in Chromium",
        megabytes(&page)?
    );
    load(args, &mut chromium, &page, &what, report)?;
    scroll(args, &mut chromium, report)?;
    search(args, &mut chromium, report)
}

fn megabytes(file: &Path) -> Result<f64> {
    Ok(std::fs::metadata(file)?.len() as f64 / 1e6)
}

/// Exports a conversation with this many turns, and returns the file.
fn export(args: &Args, daemon: &Daemon, turns: usize) -> Result<PathBuf> {
    let (transcript, page) = ("one.jsonl", "page.html");
    let [transcript, page] = [transcript, page].map(|name| daemon.home().join(name));
    History::transcript(&transcript, turns, LAST)?;
    let done = Command::new(args.client())
        .args(["conversation", "export"])
        .arg(&transcript)
        .arg("--html")
        .arg(&page)
        .env("CCD_SOCKET", daemon.socket())
        .status()?;
    if done.success() {
        Ok(page)
    } else {
        Err("the conversation could not be exported".into())
    }
}

fn load(
    args: &Args,
    chromium: &mut Chromium,
    page: &Path,
    what: &str,
    report: &mut Report,
) -> Result<()> {
    let (mut painted, mut read) = (Samples::default(), Samples::default());
    for _ in 0..args.amount(10, 2) {
        chromium.open(page)?;
        let times: [f64; 2] = number(chromium.evaluate("loadTimes()", None)?)?;
        painted.extend([times[0] * 1e3]);
        read.extend([times[1] * 1e3]);
    }
    report.add(Line {
        what: format!("{what}: first turns painted; all turns read"),
        ccd: format!(
            "{:.0} ms; {:.0} ms",
            painted.median() / 1e3,
            read.median() / 1e3
        ),
        goal: format!("≤ {PAINT_GOAL_MS:.0} ms"),
        met: Some(painted.median() / 1e3 <= PAINT_GOAL_MS),
        ..Line::default()
    });
    Ok(())
}

fn scroll(args: &Args, chromium: &mut Chromium, report: &mut Report) -> Result<()> {
    for (turns, button) in [("closed", "collapse"), ("open", "expand")] {
        let click = format!("document.getElementById('{button}').click()");
        chromium.evaluate(&click, None)?;
        let mut longest = [(); 3].map(|()| Samples::default());
        let [wheel, fling, bar] = &mut longest;
        for _ in 0..args.amount(5, 1) {
            wheel.extend([gesture(chromium, "mouse", 1500)? * 1e3]);
            fling.extend([gesture(chromium, "touch", 6000)? * 1e3]);
            let dragged: f64 = number(chromium.evaluate("drag(200)", None)?)?;
            bar.extend([dragged * 1e3]);
        }
        let [wheel, fling, bar] = longest.map(|frames| frames.median() / 1e3);
        report.add(Line {
            what: format!(
                "its longest frame, all turns {turns}: by wheel; flung; dragged by the scrollbar"
            ),
            ccd: format!("{wheel:.0} ms; {fling:.0} ms; {bar:.0} ms"),
            goal: format!("≤ {FRAME_GOAL_MS:.0} ms"),
            // Frames come 60 times a second; three of them are 50.0 ms and a bit.
            met: Some(wheel.max(fling).max(bar).round() <= FRAME_GOAL_MS),
            ..Line::default()
        });
    }
    Ok(())
}

/// Scrolls down by real input events at this speed in pixels per second, and returns the longest frame.
fn gesture(chromium: &mut Chromium, source: &str, speed: u32) -> Result<f64> {
    chromium.evaluate("forgetFrames()", None)?;
    let params = json!({"x": WIDTH / 2, "y": HEIGHT / 2, "yDistance": -4 * i64::from(speed), "speed": speed,
        "gestureSourceType": source, "preventFling": false});
    chromium.call("Input.synthesizeScrollGesture", params)?;
    number(chromium.evaluate("longestFrame()", None)?)
}

fn search(args: &Args, chromium: &mut Chromium, report: &mut Report) -> Result<()> {
    let mut samples = Samples::default();
    for _ in 0..args.amount(10, 2) {
        let search = format!("searchTime('{LAST}')");
        let (time, hits): (f64, String) = number(chromium.evaluate(&search, None)?)?;
        if hits != "1 of 1" {
            return Err(format!("the last turn is not found: {hits}").into());
        }
        samples.add(Duration::from_secs_f64(time / 1e3));
        let (_, hits): (f64, String) = number(chromium.evaluate("searchTime('nobody')", None)?)?;
        if hits != "no hits" {
            return Err(format!("something is found that is not there: {hits}").into());
        }
    }
    report.add(Line {
        what: "a search in it that finds the last turn alone".into(),
        ccd: format!("{:.0} ms", samples.median() / 1e3),
        ..Line::default()
    });
    Ok(())
}

fn number<T: serde::de::DeserializeOwned>(value: Value) -> Result<T> {
    Ok(serde_json::from_value(value)?)
}
