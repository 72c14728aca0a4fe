//! The screen of a tape as an SVG image.

use super::marks::{idle_ms, keys, resizes};
use super::timeline::{Moment, MomentKind, drawn, for_terminal, moments, size};
use crate::format::{Exchange, Tape};
use ccd_protocol::image::ImageStyle;
use ccd_screen::{PictureTooLarge, Screen, ScreenSnapshot, SvgAnimation, draw_svg};

/// Minimum time between the frames of an animation: more than 30 per second would not be seen.
const MIN_FRAME_MS: u64 = 33;

/// Maximum number of frames; an animation with more changes gets fewer per second.
const MAX_FRAMES: usize = 1000;

const MAX_BYTES: usize = 16 << 20;

/// If it is not on the tape how long somebody thought before typing, and how fast they typed, there is a pause of
/// `THOUGHT_MS` before an input, and of `KEY_MS` before each key.
const THOUGHT_MS: u64 = 700;
const KEY_MS: u64 = 40;

/// Maximum length of the echo of one key, which is one character.
const MAX_KEY_BYTES: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnimationPace {
    /// Factor of the recorded speed, more than 0.
    pub speed: f64,
    /// Maximum pause, at the recorded speed.
    pub idle_limit_ms: u64,
    /// How long the last frame is shown.
    pub end_pause_ms: u64,
}

/// Returns an SVG document that plays `tape` in a loop, and its number of frames.
/// It contains no script, and shows the last frame where animations are not supported.
pub fn animate(
    tape: &Tape,
    pace: AnimationPace,
    style: ImageStyle,
) -> Result<(String, usize), PictureTooLarge> {
    let (changes, end_ms) = paced(tape, pace);
    let mut frame_ms = MIN_FRAME_MS;
    loop {
        let frames = frames(&changes, frame_ms);
        let is_fit = frames.len() <= MAX_FRAMES;
        match is_fit.then(|| film(tape, &changes, &frames, style)) {
            Some(Ok(film)) => {
                let end_ms = end_ms.saturating_add(pace.end_pause_ms);
                let document = film.document(&tape.meta.command_line(), end_ms);
                return Ok((document, film.frames()));
            }
            Some(Err(too_large)) if frames.len() <= 2 => return Err(too_large),
            _ => frame_ms = frame_ms.saturating_mul(2),
        }
    }
}

/// Returns the screen at the end of an exchange as an SVG document.
pub fn snapshot(
    tape: &Tape,
    exchange: usize,
    style: ImageStyle,
) -> Result<String, PictureTooLarge> {
    let (rows, cols) = size(tape);
    let mut screen = Screen::new(rows, cols);
    let shown = exchange.saturating_add(1);
    let mut begun = 0;
    for Moment { what, .. } in moments(tape) {
        begun += usize::from(matches!(what, MomentKind::Begin(_)));
        if begun > shown {
            break;
        }
        show(tape, what, &mut screen);
    }
    let last = tape
        .exchanges
        .last()
        .filter(|_| shown >= tape.exchanges.len());
    let has_ended = last.is_some_and(|last| last.exit.is_some());
    let snapshot = screen.snapshot();
    let rows = 0..used_rows(&snapshot, screen.size().0);
    draw_svg(
        &snapshot,
        &rows,
        &tape.meta.command_line(),
        has_ended,
        &style,
    )
}

/// Returns how many rows are drawn: of a terminal that is higher than usual, no blank rows at its end.
fn used_rows(snapshot: &ScreenSnapshot, rows: u16) -> u16 {
    const USUAL_ROWS: u16 = 60;
    const LEAST_ROWS: u16 = 10;
    if rows <= USUAL_ROWS {
        return rows;
    }
    let lines = snapshot.lines(&(0..rows));
    let last = lines.iter().rposition(|line| !line.trim().is_empty());
    let last = last.and_then(|row| u16::try_from(row).ok()).unwrap_or(0);
    (last.max(snapshot.cursor().row) + 1).clamp(LEAST_ROWS, rows)
}

fn show(tape: &Tape, what: MomentKind<'_>, screen: &mut Screen) {
    match what {
        MomentKind::Output(chunk) => screen.feed(&for_terminal(tape, &chunk.data)),
        MomentKind::Resize(size) => {
            let (rows, cols) = drawn(size);
            screen.resize(rows, cols);
        }
        MomentKind::Begin(_) | MomentKind::Keys(_) | MomentKind::Marker(_) => {}
    }
}

/// Returns all changes of the screen with the time at which they are shown, and the total time.
fn paced(tape: &Tape, pace: AnimationPace) -> (Vec<(u64, MomentKind<'_>)>, u64) {
    let (mut last_ms, mut shown_ms, mut unechoed_bytes) = (0, 0.0, 0);
    let mut before: Option<&Exchange> = None;
    let mut changes = Vec::new();
    for Moment { at_ms, what } in moments(tape) {
        let mut pause_ms = at_ms - last_ms;
        last_ms = at_ms;
        match what {
            MomentKind::Begin(exchange) => {
                unechoed_bytes = if has_times(exchange, before) {
                    0
                } else {
                    exchange.input.bytes.len()
                };
                if unechoed_bytes > 0 {
                    pause_ms = pause_ms.max(THOUGHT_MS);
                }
                before = Some(exchange);
            }
            MomentKind::Output(chunk) if chunk.data.len() <= unechoed_bytes.min(MAX_KEY_BYTES) => {
                unechoed_bytes -= chunk.data.len();
                pause_ms = pause_ms.max(KEY_MS);
            }
            MomentKind::Output(_) => unechoed_bytes = 0,
            MomentKind::Keys(_) | MomentKind::Resize(_) | MomentKind::Marker(_) => {}
        }
        shown_ms += pause_ms.min(pace.idle_limit_ms) as f64 / pace.speed;
        if matches!(what, MomentKind::Output(_) | MomentKind::Resize(_)) {
            changes.push((shown_ms as u64, what));
        }
    }
    (changes, shown_ms as u64)
}

/// Returns whether it is on the tape when the keys of an input were typed: one by one, or a single one.
fn has_times(exchange: &Exchange, before: Option<&Exchange>) -> bool {
    let typed = &exchange.input.bytes;
    let is_one_key = typed.first() == Some(&0x1b)
        || str::from_utf8(typed).is_ok_and(|typed| typed.chars().count() == 1);
    let is_known = before.is_some_and(|before| idle_ms(before).is_some());
    (is_one_key && is_known) || !keys(exchange).is_empty()
}

/// Returns when each frame is shown, and after which change it is taken. Changes soon after a frame belong to it.
fn frames(changes: &[(u64, MomentKind<'_>)], frame_ms: u64) -> Vec<(u64, usize)> {
    let mut frames: Vec<(u64, usize)> = vec![(0, 0)];
    for (index, (at_ms, _)) in changes.iter().enumerate() {
        match frames.last_mut() {
            Some((begin_ms, end)) if *at_ms < begin_ms.saturating_add(frame_ms) => *end = index + 1,
            _ => frames.push((*at_ms, index + 1)),
        }
    }
    frames
}

fn film(
    tape: &Tape,
    changes: &[(u64, MomentKind<'_>)],
    frames: &[(u64, usize)],
    style: ImageStyle,
) -> Result<SvgAnimation, PictureTooLarge> {
    let (rows, cols) = size(tape);
    let mut screen = Screen::new(rows, cols);
    let (mut film, mut shown) = (SvgAnimation::new(style), 0);
    if let Some((rows, cols)) = largest(tape) {
        // All frames have the size of the first.
        film.push(0, &Screen::new(rows, cols).snapshot());
    }
    for (at_ms, end) in frames {
        for (_, change) in &changes[shown..*end] {
            show(tape, *change, &mut screen);
        }
        shown = *end;
        film.push(*at_ms, &screen.snapshot());
        if film.len_bytes() > MAX_BYTES {
            return Err(PictureTooLarge("16 MiB"));
        }
    }
    Ok(film)
}

/// Returns the most rows and columns that the terminal had; `None` if its size never changed.
fn largest(tape: &Tape) -> Option<(u16, u16)> {
    let sizes = tape.exchanges.iter().flat_map(resizes);
    let mut sizes = sizes.map(|resize| drawn(resize.size)).peekable();
    sizes.peek()?;
    let most = |(rows, cols): (u16, u16), size: (u16, u16)| (rows.max(size.0), cols.max(size.1));
    Some(sizes.fold(size(tape), most))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{exchange, tape};
    use super::*;
    use crate::format::{Chunk, PtySize};

    const STYLE: ImageStyle = ImageStyle {
        theme: None,
        padding: None,
        window: false,
        crop: false,
    };

    const PACE: AnimationPace = AnimationPace {
        speed: 1.0,
        idle_limit_ms: 2000,
        end_pause_ms: 2000,
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
        let (svg, frames) = animate(&tape, PACE, STYLE).unwrap();
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
    fn keys_are_typed_at_the_recorded_times() {
        let mut tape = tape(vec![
            exchange("", &["$ "]),
            exchange("ls\r", &["l", "s", "\r\nfile\r\n$ "]),
            exchange("q", &["bye"]),
            exchange("w", &["w"]),
        ]);
        let keys = serde_json::json!([[0, 1, 0], [250, 1, 1], [1_250, 1, 2]]);
        tape.exchanges[1].annotations.insert("keys".into(), keys);
        for (exchange, idle_ms) in tape.exchanges.iter_mut().zip([100, 5_000]) {
            let notes = &mut exchange.annotations;
            notes.insert("idle_ms".into(), idle_ms.into());
        }
        let times =
            |pace| -> Vec<u64> { paced(&tape, pace).0.iter().map(|change| change.0).collect() };
        // Of the last key, nobody knows when it was typed.
        assert_eq!(times(PACE), [10, 120, 370, 1_370, 3_380, 4_120]);
        let short = AnimationPace {
            idle_limit_ms: 500,
            ..PACE
        };
        assert_eq!(times(short), [10, 120, 370, 880, 1_390, 1_930]);
    }

    #[test]
    fn the_screen_changes_its_size_with_the_terminal() {
        let mut tape = tape(vec![
            exchange("", &["0123456789abcdef"]),
            exchange("x\r", &["\x1b[H\x1b[2J0123456789abcdef"]),
        ]);
        tape.meta.pty = Some(PtySize { rows: 4, cols: 8 });
        let resizes = serde_json::json!([{"at_ms": 0, "rows": 6, "cols": 16}]);
        let notes = &mut tape.exchanges[1].annotations;
        notes.insert("resizes".into(), resizes);
        let small = snapshot(&tape, 0, STYLE).unwrap();
        assert!(small.contains(">01234567</text>"), "{small}");
        let large = snapshot(&tape, 1, STYLE).unwrap();
        assert!(large.contains(">0123456789abcde</text>"), "{large}");
        // The animation has room for the largest size.
        let size = |svg: &str| svg.split_once(" viewBox").unwrap().0.to_owned();
        let (svg, _) = animate(&tape, PACE, STYLE).unwrap();
        assert!(svg.contains(">01234567</text>") && svg.contains(">0123456789abcde</text>"));
        assert_eq!(size(&svg), size(&large));
        assert_ne!(size(&svg), size(&small));
    }

    /// Returns a tape whose program prints numbers, each followed by `end`.
    fn tape_of_numbers(count: u32, delay_ms: u64, end: &str) -> Tape {
        let mut start = exchange("", &[]);
        let chunk = |number: u32| Chunk {
            delay_ms,
            data: format!("{number}{end}").into_bytes(),
            ..Chunk::default()
        };
        start.chunks = (0..count).map(chunk).collect();
        tape(vec![start])
    }

    #[test]
    fn pictures_that_are_too_close_are_one() {
        let tape = tape_of_numbers(100, 10, " ");
        let (svg, count) = animate(&tape, PACE, STYLE).unwrap();
        assert!((24..=34).contains(&count), "{count}");
        assert!(svg.contains("animation:play 3.000s"));
        let (mut fast, mut short) = (PACE, PACE);
        (fast.speed, short.end_pause_ms) = (10.0, 500);
        let (svg, count) = animate(&tape, fast, STYLE).unwrap();
        assert!((2..=4).contains(&count), "{count}");
        assert!(svg.contains("animation:play 2.100s"));
        let (svg, _) = animate(&tape, short, STYLE).unwrap();
        assert!(svg.contains("animation:play 1.500s"));
    }

    #[test]
    fn a_long_tape_is_shown_less_often() {
        let tape = tape_of_numbers(5000, 40, "\r\n");
        let (svg, count) = animate(&tape, PACE, STYLE).unwrap();
        assert!((MAX_FRAMES / 3..=MAX_FRAMES).contains(&count), "{count}");
        assert!(svg.len() < MAX_BYTES, "{}", svg.len());
    }

    #[test]
    fn a_still_shows_the_screen_at_an_exchange() {
        let tape = tape(vec![exchange("", &["one"]), exchange("x\r", &["\r\ntwo"])]);
        assert!(!snapshot(&tape, 0, STYLE).unwrap().contains("two"));
        for last in [1, 7, usize::MAX] {
            assert!(
                snapshot(&tape, last, STYLE)
                    .unwrap()
                    .contains(">two</text>")
            );
        }
    }

    #[test]
    fn what_has_no_output_is_one_empty_picture() {
        for exchanges in [vec![], vec![exchange("", &[])]] {
            let (svg, count) = animate(&tape(exchanges), PACE, STYLE).unwrap();
            assert_eq!(count, 1);
            assert!(svg.starts_with("<svg "));
        }
    }
}
