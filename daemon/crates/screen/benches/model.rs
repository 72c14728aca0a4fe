//! Speed and memory of the screen model, beside `vt100`, in one run: `cargo bench -p ccd-screen`.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use ccd_screen::Screen;
use std::fmt::Write as _;
use std::hint::black_box;
use std::num::NonZeroU16;
use std::time::{Duration, Instant};

const ROWS: u16 = 24;
const COLS: u16 = 80;
const STREAM_BYTES: usize = 25 << 20;
const CHUNK_BYTES: usize = 64 << 10;
const RUNS: usize = 5;

fn main() {
    println!("| stream, {ROWS}x{COLS}, MiB/s, best of {RUNS} | ccd | vt100 0.18 |");
    println!("|---|---|---|");
    for (name, line) in STREAMS {
        let stream = stream(line);
        let ours = best(|| {
            let mut screen = Screen::new(ROWS, COLS);
            stream
                .chunks(CHUNK_BYTES)
                .for_each(|chunk| screen.feed(chunk));
            black_box(screen.cursor());
        });
        let theirs = best(|| {
            let mut parser = vt100::Parser::new(some(ROWS), some(COLS), 0);
            stream
                .chunks(CHUNK_BYTES)
                .for_each(|chunk| parser.process(chunk));
            black_box(parser.screen().cursor_position());
        });
        let speed =
            |time: Duration| (stream.len() as f64 / (1 << 20) as f64 / time.as_secs_f64()).round();
        println!("| {name} | {} | {} |", speed(ours), speed(theirs));
    }
    attach();
    catch_up();
    memory();
}

/// Prints how long the picture for an attach takes, and its size.
fn attach() {
    let page = stream(cursor_addressed);
    let page = &page[..1 << 20];
    let mut screen = Screen::new(ROWS, COLS);
    screen.feed(page);
    let mut parser = vt100::Parser::new(some(ROWS), some(COLS), 0);
    parser.process(page);
    let ours = best(|| drop(black_box(screen.repaint())));
    let theirs = best(|| drop(black_box(parser.screen().state_formatted())));
    println!("\n| picture of a full-screen program | ccd | vt100 0.18 |\n|---|---|---|");
    println!(
        "| time, us | {} | {} |",
        ours.as_micros(),
        theirs.as_micros()
    );
    println!(
        "| size, bytes | {} | {} |",
        screen.repaint().len(),
        parser.screen().state_formatted().len()
    );
}

/// Prints how long it takes to draw 100 MB of output that nobody has looked at.
fn catch_up() {
    let mut output = stream(coloured);
    output.extend(stream(plain));
    output.extend(stream(cursor_addressed));
    output.extend(stream(spinner));
    output.truncate(100_000_000);
    let ours = once(|| {
        let mut screen = Screen::new(ROWS, COLS);
        let mut rest = &output[..];
        while !rest.is_empty() {
            let done = screen.feed_for(rest, Duration::from_millis(20));
            rest = &rest[done..];
        }
        black_box(screen.cursor());
    });
    let theirs = once(|| {
        let mut parser = vt100::Parser::new(some(ROWS), some(COLS), 0);
        output
            .chunks(CHUNK_BYTES)
            .for_each(|chunk| parser.process(chunk));
        black_box(parser.screen().cursor_position());
    });
    println!("\n| catch-up after 100 MB of the four streams | ccd | vt100 0.18 |\n|---|---|---|");
    println!(
        "| time, s | {:.2} | {:.2} |",
        ours.as_secs_f64(),
        theirs.as_secs_f64()
    );
}

/// Prints the memory of a screen after a full-screen program has used it, with the main screen under it.
fn memory() {
    const SCREENS: usize = 500;
    let mut page = b"$ vim\r\n\x1b[?1049h".to_vec();
    page.extend_from_slice(&stream(cursor_addressed)[..64 << 10]);
    let before = resident_bytes();
    let ours: Vec<Screen> = (0..SCREENS)
        .map(|_| {
            let mut screen = Screen::new(ROWS, COLS);
            screen.feed(&page);
            screen
        })
        .collect();
    let between = resident_bytes();
    let theirs: Vec<vt100::Parser> = (0..SCREENS)
        .map(|_| {
            let mut parser = vt100::Parser::new(some(ROWS), some(COLS), 0);
            parser.process(&page);
            parser
        })
        .collect();
    let after = resident_bytes();
    let each = |bytes: u64| bytes / SCREENS as u64 / 1024;
    println!("\n| memory of a screen, alternate over main | ccd | vt100 0.18 |\n|---|---|---|");
    println!(
        "| KiB | {} | {} |",
        each(between - before),
        each(after - between)
    );
    drop((ours, theirs));
}

fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = status
        .split(' ')
        .nth(1)
        .and_then(|pages| pages.parse().ok());
    pages.unwrap_or(0) * 4096
}

fn once(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

fn best(mut run: impl FnMut()) -> Duration {
    let times = (0..RUNS).map(|_| {
        let start = Instant::now();
        run();
        start.elapsed()
    });
    times.min().unwrap_or_default()
}

fn some(number: u16) -> NonZeroU16 {
    NonZeroU16::new(number).unwrap_or(NonZeroU16::MIN)
}

type Line = fn(&mut String, usize);

const STREAMS: [(&str, Line); 4] = [
    ("plain lines", plain),
    ("coloured log with wide characters", coloured),
    ("cursor-addressed full screen", cursor_addressed),
    ("spinner", spinner),
];

fn stream(line: Line) -> Vec<u8> {
    let mut text = String::new();
    let mut number = 0;
    while text.len() < STREAM_BYTES {
        line(&mut text, number);
        number += 1;
    }
    text.into_bytes()
}

fn plain(out: &mut String, number: usize) {
    let _ = write!(
        out,
        "{number:8} the quick brown fox jumps over the lazy dog, again and again\r\n"
    );
}

fn coloured(out: &mut String, number: usize) {
    let color = 31 + number % 6;
    let _ = write!(
        out,
        "\x1b[2m12:00:{:02}\x1b[0m \x1b[1;{color}mINFO\x1b[0m \x1b[38;5;{}mmodule\x1b[39m: 日本語 {number} ok ✔ \x1b[4mpath/to/file\x1b[24m\r\n",
        number % 60,
        number % 256
    );
}

fn cursor_addressed(out: &mut String, number: usize) {
    let (row, col) = (number % 24 + 1, number * 7 % 60 + 1);
    let _ = write!(
        out,
        "\x1b[{row};{col}H\x1b[3{};4{}m{number:>10}\x1b[0m\x1b[K",
        number % 8,
        number / 8 % 8
    );
}

fn spinner(out: &mut String, number: usize) {
    let frame = ["⠋", "⠙", "⠹", "⠸"][number % 4];
    let _ = write!(
        out,
        "\r\x1b[2K\x1b[36m{frame}\x1b[0m working on item {number}"
    );
}
