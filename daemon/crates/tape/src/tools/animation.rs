//! The screen of a tape as an SVG image.

use super::timeline::{What, for_terminal, moments, size};
use crate::format::{Chunk, Tape};
use ccd_screen::{Film, PictureTooLarge, Screen, Still, draw};

/// Minimum time between the frames of an animation: more than 30 per second would not be seen.
const MIN_FRAME_MS: u64 = 33;

/// Maximum number of frames; an animation with more changes gets fewer per second.
const MAX_FRAMES: usize = 1000;

/// Maximum size of an animation.
const MAX_BYTES: usize = 16 << 20;

/// How long the last frame is shown.
const END_MS: u64 = 2000;

/// A tape does not contain how long people thought before they typed, nor how fast they typed. So there is a pause of
/// `THOUGHT_MS` before each input, and of `KEY_MS` before each key.
const THOUGHT_MS: u64 = 700;
const KEY_MS: u64 = 40;

/// Maximum length of the echo of one key, which is one character.
const MAX_KEY_BYTES: usize = 4;

/// The speed of an animation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// Factor of the recorded speed, more than 0.
    pub speed: f64,
    /// Maximum pause, at the recorded speed.
    pub idle_limit_ms: u64,
}

/// Returns an SVG document that plays `tape` in a loop, and its number of frames.
///
/// It contains no script, and shows the last frame where animations are not supported.
///
/// # Errors
///
/// [`PictureTooLarge`] if even two frames are too large.
pub fn animate(tape: &Tape, pace: Pace) -> Result<(String, usize), PictureTooLarge> {
    let (chunks, end_ms) = paced(tape, pace);
    let mut frame_ms = MIN_FRAME_MS;
    loop {
        let frames = frames(&chunks, frame_ms);
        let is_fit = frames.len() <= MAX_FRAMES;
        match is_fit.then(|| film(tape, &chunks, &frames)) {
            Some(Ok(film)) => {
                let document = film.document(&title(tape), end_ms + END_MS);
                return Ok((document, film.frames()));
            }
            Some(Err(too_large)) if frames.len() <= 2 => return Err(too_large),
            _ => frame_ms = frame_ms.saturating_mul(2),
        }
    }
}

/// Returns the screen at the end of an exchange as an SVG document.
///
/// # Errors
///
/// [`PictureTooLarge`].
pub fn still(tape: &Tape, exchange: usize) -> Result<String, PictureTooLarge> {
    let (rows, cols) = size(tape);
    let mut screen = Screen::new(rows, cols);
    let exchanges = tape.exchanges.iter().take(exchange.saturating_add(1));
    for chunk in exchanges.flat_map(|exchange| &exchange.chunks) {
        screen.feed(&for_terminal(tape, &chunk.data));
    }
    let has_ended = exchange.saturating_add(1) >= tape.exchanges.len()
        && tape
            .exchanges
            .last()
            .is_some_and(|last| last.exit.is_some());
    let still = screen.still();
    draw(
        &still,
        &(0..used_rows(&still, rows)),
        &title(tape),
        has_ended,
    )
}

/// Returns how many rows are drawn: of a terminal that is higher than usual, no blank rows at its end.
fn used_rows(still: &Still, rows: u16) -> u16 {
    const USUAL_ROWS: u16 = 60;
    const LEAST_ROWS: u16 = 10;
    if rows <= USUAL_ROWS {
        return rows;
    }
    let lines = still.lines(&(0..rows));
    let last = lines.iter().rposition(|line| !line.trim().is_empty());
    let last = last.and_then(|row| u16::try_from(row).ok()).unwrap_or(0);
    (last.max(still.cursor().row) + 1).clamp(LEAST_ROWS, rows)
}

/// Returns the title: the recorded command line.
fn title(tape: &Tape) -> String {
    let words = std::iter::once(&tape.meta.program).chain(&tape.meta.args);
    let words: Vec<String> = words.map(|word| ccd_text::shell::quoted(word)).collect();
    words.join(" ")
}

/// Returns all output with the time at which it is shown, and the total time.
fn paced(tape: &Tape, pace: Pace) -> (Vec<(u64, &Chunk)>, u64) {
    let (mut last_ms, mut shown_ms, mut unechoed_bytes) = (0, 0.0, 0);
    let mut chunks = Vec::new();
    for moment in moments(tape) {
        let mut pause_ms = moment.at_ms - last_ms;
        last_ms = moment.at_ms;
        match moment.what {
            What::Begin(exchange) => {
                unechoed_bytes = exchange.input.bytes.len();
                if unechoed_bytes > 0 {
                    pause_ms = pause_ms.max(THOUGHT_MS);
                }
            }
            What::Output(chunk) if chunk.data.len() <= unechoed_bytes.min(MAX_KEY_BYTES) => {
                unechoed_bytes -= chunk.data.len();
                pause_ms = pause_ms.max(KEY_MS);
            }
            What::Output(_) => unechoed_bytes = 0,
        }
        shown_ms += pause_ms.min(pace.idle_limit_ms) as f64 / pace.speed;
        if let What::Output(chunk) = moment.what {
            chunks.push((shown_ms as u64, chunk));
        }
    }
    (chunks, shown_ms as u64)
}

/// Returns when each frame is shown, and after which chunk it is taken. Changes soon after a frame belong to it.
fn frames(chunks: &[(u64, &Chunk)], frame_ms: u64) -> Vec<(u64, usize)> {
    let mut frames: Vec<(u64, usize)> = vec![(0, 0)];
    for (index, (at_ms, _)) in chunks.iter().enumerate() {
        match frames.last_mut() {
            Some((begin_ms, end)) if *at_ms < begin_ms.saturating_add(frame_ms) => *end = index + 1,
            _ => frames.push((*at_ms, index + 1)),
        }
    }
    frames
}

fn film(
    tape: &Tape,
    chunks: &[(u64, &Chunk)],
    frames: &[(u64, usize)],
) -> Result<Film, PictureTooLarge> {
    let (rows, cols) = size(tape);
    let mut screen = Screen::new(rows, cols);
    let (mut film, mut drawn) = (Film::default(), 0);
    for (at_ms, end) in frames {
        for (_, chunk) in &chunks[drawn..*end] {
            screen.feed(&for_terminal(tape, &chunk.data));
        }
        drawn = *end;
        film.push(*at_ms, &screen.still());
        if film.len_bytes() > MAX_BYTES {
            return Err(PictureTooLarge);
        }
    }
    Ok(film)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{exchange, tape};
    use super::*;

    const PACE: Pace = Pace {
        speed: 1.0,
        idle_limit_ms: 2000,
    };

    /// Returns the number of frames in the animation.
    fn steps(svg: &str) -> usize {
        svg.matches("%{transform").count()
    }

    #[test]
    fn each_change_is_a_picture_and_each_row_is_there_once() {
        let mut tape = tape(vec![
            exchange("", &["$ "]),
            exchange("ls\r", &["l", "s", "\r\nfile\r\n$ "]),
        ]);
        for chunk in &mut tape.exchanges[1].chunks {
            chunk.delay_ms = 100;
        }
        tape.exchanges[0].dur_ms = 60_000;
        let (svg, frames) = animate(&tape, PACE).unwrap();
        assert_eq!((frames, steps(&svg)), (4, 4));
        assert!(svg.contains(">file</text>"));
        // The prompt, 2 s before the input, 300 ms after it, and the end.
        assert!(svg.contains("animation:play 4.310s"), "{svg}");
        assert_eq!(svg.matches(">file</text>").count(), 1);
        assert!(!svg.contains("<script"));
    }

    #[test]
    fn who_typed_is_shown_to_think_and_to_type() {
        let tape = tape(vec![
            exchange("", &["$ "]),
            exchange("ls\r", &["l", "s", "\r\n", "file\r\n$ "]),
        ]);
        let (chunks, end_ms) = paced(&tape, PACE);
        let times: Vec<u64> = chunks.iter().map(|(at_ms, _)| *at_ms).collect();
        // Chunks that are 10 ms apart stay so; only the echo is slowed down.
        let begin = times[0] + THOUGHT_MS;
        assert_eq!(times[1..3], [begin + KEY_MS, begin + 2 * KEY_MS]);
        assert_eq!(times[4], end_ms);
        assert!(end_ms < begin + 4 * KEY_MS, "{times:?}");
    }

    #[test]
    fn pictures_that_are_too_close_are_one() {
        let chunks: Vec<Chunk> = (0..100)
            .map(|n| Chunk {
                delay_ms: 10,
                data: format!("{n} ").into_bytes(),
                ..Chunk::default()
            })
            .collect();
        let mut tape = tape(vec![exchange("", &[])]);
        tape.exchanges[0].chunks = chunks;
        let (svg, count) = animate(&tape, PACE).unwrap();
        assert!((24..=34).contains(&count), "{count}");
        assert!(svg.contains("animation:play 3.000s"));
        let fast = Pace {
            speed: 10.0,
            ..PACE
        };
        let (svg, count) = animate(&tape, fast).unwrap();
        assert!((2..=4).contains(&count), "{count}");
        assert!(svg.contains("animation:play 2.100s"));
    }

    #[test]
    fn a_long_tape_is_shown_less_often() {
        let chunks: Vec<Chunk> = (0..5000)
            .map(|n| Chunk {
                delay_ms: 40,
                data: format!("{n}\r\n").into_bytes(),
                ..Chunk::default()
            })
            .collect();
        let mut tape = tape(vec![exchange("", &[])]);
        tape.exchanges[0].chunks = chunks;
        let (svg, count) = animate(&tape, PACE).unwrap();
        assert!((MAX_FRAMES / 3..=MAX_FRAMES).contains(&count), "{count}");
        assert!(svg.len() < MAX_BYTES, "{}", svg.len());
    }

    #[test]
    fn a_still_shows_the_screen_at_an_exchange() {
        let tape = tape(vec![exchange("", &["one"]), exchange("x\r", &["\r\ntwo"])]);
        assert!(!still(&tape, 0).unwrap().contains("two"));
        for last in [1, 7, usize::MAX] {
            assert!(still(&tape, last).unwrap().contains(">two</text>"));
        }
    }

    #[test]
    fn what_has_no_output_is_one_empty_picture() {
        for exchanges in [vec![], vec![exchange("", &[])]] {
            let (svg, count) = animate(&tape(exchanges), PACE).unwrap();
            assert_eq!(count, 1);
            assert!(svg.starts_with("<svg "));
        }
    }
}
