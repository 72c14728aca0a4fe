//! Output that sets another terminal to the state of a session's.

use super::charsets::Charsets;
use super::keyboard::Keyboard;
use super::modes::Modes;

/// Returns the output: `main_screen` (already drawn) under the alternate one, `screen`, modes, title.
pub(super) fn output(
    main_screen: Option<&str>,
    screen: &vt100::Screen,
    modes: &Modes,
    charsets: &Charsets,
    title: &str,
) -> Vec<u8> {
    // First reset what would spoil the drawing: margins, origin and insert mode, line drawing.
    let mut out = String::from("\x1b[r\x1b[?6l\x1b[?7h\x1b[4l\x1b(B\x1b)B\x0f");
    if screen.alternate_screen() {
        out.push_str(main_screen.unwrap_or_default());
        // Leaving will restore the current style; the model does not know which one the program has saved.
        out.push_str("\x1b[m\x1b[?1049h");
    }
    out.push_str(&screen.contents_formatted());
    push_modes(&mut out, modes);
    push_cursor(&mut out, screen, modes);
    out.push_str(charsets.restored());
    if !title.is_empty() {
        out.push_str(&format!("\x1b]2;{title}\x07"));
    }
    out.into_bytes()
}

/// Returns `output` for a terminal that may show anything, perhaps on its alternate screen: with synchronized output
/// where supported, and with the program's `keyboard`.
pub(super) fn again(output: &[u8], keyboard: &Keyboard) -> Vec<u8> {
    let mut out = Vec::from(b"\x1b[?2026h\x1b[?1049l\x1b[?47l");
    out.extend_from_slice(output);
    if keyboard.reads_csi_u() {
        out.extend_from_slice(format!("\x1b[={};1u", keyboard.flags()).as_bytes());
    }
    if keyboard.reads_modified_other_keys() {
        out.extend_from_slice(b"\x1b[>4;2m");
    }
    out.extend_from_slice(b"\x1b[?2026l");
    out
}

fn push_modes(out: &mut String, modes: &Modes) {
    let last = |set: bool| if set { 'h' } else { 'l' };
    for (number, set) in [
        (1, modes.application_cursor),
        (5, modes.reverse_video),
        (7, modes.autowrap),
        (12, modes.cursor_blink),
        (1004, modes.focus_events),
        (2004, modes.bracketed_paste),
    ] {
        out.push_str(&format!("\x1b[?{number}{}", last(set)));
    }
    let keypad = if modes.application_keypad { '=' } else { '>' };
    out.push_str(&format!("\x1b{keypad}\x1b[4{}", last(modes.insert)));
    out.push_str(&format!("\x1b[20{}", last(modes.newline)));
    out.push_str("\x1b[?9;1000;1002;1003;1005;1006;1015;1016l");
    for number in [modes.mouse as u16, modes.mouse_encoding as u16] {
        if number > 0 {
            out.push_str(&format!("\x1b[?{number}h"));
        }
    }
    out.push_str(&format!("\x1b[{} q", modes.cursor_style));
}

/// The cursor comes after margins and origin mode, which move it, and before line drawing. A cursor that waits to wrap
/// is set by writing the last cell again.
fn push_cursor(out: &mut String, screen: &vt100::Screen, modes: &Modes) {
    let last_row = screen.size().0.get() - 1;
    let (row, col) = screen.cursor_position();
    let region = modes
        .scroll_region
        .map(|(top, bottom)| (top, bottom.min(last_row)));
    let region = region.filter(|(top, bottom)| top < bottom);
    if let Some((top, bottom)) = region {
        out.push_str(&format!("\x1b[{};{}r", top + 1, bottom + 1));
    }
    if modes.origin {
        let top = region.map_or(0, |region| region.0);
        let visible = if modes.cursor_visible { 'h' } else { 'l' };
        let (row, col) = (row.saturating_sub(top) + 1, col + 1);
        out.push_str(&format!("\x1b[?6h\x1b[{row};{col}H\x1b[?25{visible}"));
    } else {
        out.push_str(&screen.cursor_state_formatted());
    }
    out.push_str(&screen.attributes_formatted());
}
