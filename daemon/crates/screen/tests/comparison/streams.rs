//! Random streams of well-formed sequences, from seeds.

/// A source of numbers that is the same everywhere (SplitMix64).
pub(super) struct Dice {
    state: u64,
    /// The mode that has switched to the alternate screen.
    alternate: Option<&'static str>,
    /// The first and the last row of the scroll region.
    region: (u32, u32),
    /// The cursor was saved, on the screen that is shown.
    is_saved: bool,
}

/// Makes one text or sequence.
type Make = fn(&mut Dice) -> String;

/// What streams are made of, and how often. Many parts first do what keeps them out of `differences.rs`.
#[rustfmt::skip]
const PARTS: &[(u32, Make)] = &[
    (12, word),
    (3, |dice| dice.text("日本語文字幅　한국ＡＢ😀🦀🚀", 6)),
    (2, |dice| dice.text("xyäéß─│λЖ", 9) + "\u{301}"),
    (6, |dice| dice.one(&["\r\n", "\r\n", "\r", "\x1b[7G\n", "\x1b[12G\x0b", "\x1b[5G\x0c"]).into()),
    (2, |_| "\x08".into()),
    (4, |dice| dice.one(&["\t", "\t", "\x1bH", "\x1b[g", "\x1b[3g"]).into()),
    (2, |dice| dice.csi("Z")),
    (8, |dice| format!("\x1b[{};{}{}", dice.number(12), dice.number(22), dice.one(&["H", "f"]))),
    (8, |dice| dice.csi("ABCDEF")),
    (4, |dice| dice.far("G`d")),
    (6, |dice| dice.column() + dice.one(&["\x1b[K", "\x1b[0K", "\x1b[1K", "\x1b[2K"])),
    (4, |dice| dice.column() + dice.one(&["\x1b[J", "\x1b[1J", "\x1b[2J", "\x1b[3J"])),
    (6, |dice| dice.column() + &dice.csi("PX")),
    (3, |dice| format!("\x1b[{}G", 1 + dice.below(8)) + &dice.ended(6, "@")),
    (4, lines),
    (6, |dice| dice.csi("ST")),
    (6, |dice| dice.one(&["\x1b[19G\x1bD", "\x1bE", "\x1b[9G\x1bM", "\r\x1bM"]).into()),
    (2, |dice| format!("\r{}\x1b[{}b", dice.text("abc", 2), 1 + dice.below(12))),
    (4, region),
    (2, |dice| dice.mode("?6")),
    (2, |dice| format!("\x1b[?7l\x1b[{}G{}\r\x1b[?7h", 15 + dice.below(6), word(dice))),
    (3, |dice| format!("\x1b[4h\x1b[{}G{}\x1b[4l", 1 + dice.below(12), dice.text("abcxyz─λ", 5))),
    (3, saved),
    (2, alternate),
    (14, style),
    (2, |dice| dice.one(&["\x1b(0", "\x1b(B", "\x1b)0", "\x1b)B", "\x0e", "\x0f"]).into()),
    (2, |dice| dice.mode("?1 ?4 ?5 ?12 ?25 ?1000 ?1002 ?1006 ?1004 ?2004 ?1034")),
    (3, |dice| dice.one(&INVISIBLE).into()),
    (1, reset),
];

/// Ends line drawing: avt and tmux restore other parts of what DECSC saves than we do.
const ASCII: &str = "\x1b(B\x1b)B\x0f";

/// Sequences without effect on cells: keypads, cursors, queries, colours, titles, the clipboard, printers, the memory
/// lock.
#[rustfmt::skip]
const INVISIBLE: [&str; 22] = [
    "\x07", "\x1b=", "\x1b>", "\x1b[2 q", "\x1b[4 q", "\x1b[6n", "\x1b[c", "\x1b[>c", "\x1b[i", "\x1b[4i",
    "\x1b[5i\x1b[4i", "\x1bl", "\x1bm", "\x1b[22;0;0t", "\x1b[23;0;0t", "\x1b]4;1;rgb:ff/00/80\x1b\\",
    "\x1b]104\x07", "\x1b]12;red\x07", "\x1b]112\x07", "\x1b]0;a title\x07", "\x1b]52;c;aGVsbG8=\x07",
    "\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\",
];

/// Returns the parts of the stream of a seed.
pub(super) fn stream(seed: u64, len: usize) -> Vec<String> {
    let mut dice = Dice {
        state: seed,
        alternate: None,
        region: (1, 10),
        is_saved: false,
    };
    let weights: u32 = PARTS.iter().map(|(weight, _)| weight).sum();
    let part = |_| {
        let mut chosen = dice.below(weights);
        let make = PARTS
            .iter()
            .find_map(|(weight, make)| match chosen.checked_sub(*weight) {
                None => Some(make),
                Some(rest) => {
                    chosen = rest;
                    None
                }
            });
        make.unwrap()(&mut dice)
    };
    (0..len).map(part).collect()
}

impl Dice {
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: u32) -> u32 {
        (self.next() >> 32) as u32 % end
    }

    fn one<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u32) as usize]
    }

    /// Returns a parameter below `end`, often none.
    fn number(&mut self, end: u32) -> String {
        match self.below(4) {
            0 => String::new(),
            _ => self.below(end).to_string(),
        }
    }

    /// Returns one of these sequences with a small count.
    fn csi(&mut self, finals: &str) -> String {
        let end = self.one(&[3, 5, 30]);
        self.ended(end, finals)
    }

    /// Moves to a column: there the cursor does not wait to wrap.
    fn column(&mut self) -> String {
        self.far("G`")
    }

    /// Returns one of these sequences with the number of a row or column.
    fn far(&mut self, finals: &str) -> String {
        self.ended(22, finals)
    }

    fn ended(&mut self, end: u32, finals: &str) -> String {
        let finals: Vec<char> = finals.chars().collect();
        format!("\x1b[{}{}", self.number(end), self.one(&finals))
    }

    /// Sets or resets one of these modes.
    fn mode(&mut self, modes: &str) -> String {
        let modes: Vec<&str> = modes.split(' ').collect();
        format!("\x1b[{}{}", self.one(&modes), self.one(&["h", "l"]))
    }

    /// Returns up to `most` of these characters.
    fn text(&mut self, characters: &str, most: u32) -> String {
        let characters: Vec<char> = characters.chars().collect();
        (0..=self.below(most))
            .map(|_| self.one(&characters))
            .collect()
    }
}

fn word(dice: &mut Dice) -> String {
    let most = dice.one(&[3, 8, 40]);
    dice.text(
        "abcdefghijklmnopqrstuvwxyz ABCDE 0123456789 .,;:{}|~`",
        most,
    )
}

fn region(dice: &mut Dice) -> String {
    let (top, len) = (1 + dice.below(5), 1 + dice.below(5));
    dice.region = dice.one(&[(1, 10), (top, top + len), (top, top + len)]);
    let (top, bottom) = dice.region;
    match dice.region {
        (1, 10) => "\x1b[r\x1b[H".into(),
        _ => format!("\x1b[{top};{bottom}r\x1b[H"),
    }
}

/// Inserts or deletes lines inside the scroll region.
fn lines(dice: &mut Dice) -> String {
    let (top, bottom) = dice.region;
    let row = top + dice.below(bottom - top + 1);
    format!(
        "\x1b[?6l\x1b[{row};{}H{}\r",
        dice.number(21),
        dice.csi("LM")
    )
}

/// Fills the screen or resets the terminal; DECALN does not reset what avt does not, RIS not what tmux does not.
fn reset(dice: &mut Dice) -> String {
    dice.region = (1, 10);
    match (dice.below(2), dice.alternate.take()) {
        (0, alternate) => {
            dice.alternate = alternate;
            "\x1b[?6l\x1b[r\x1b[H\x1b#8".into()
        }
        (_, Some(mode)) => format!("\x1b[{mode}l\x1bc"),
        (_, None) => "\x1bc".into(),
    }
}

/// Saves or restores the cursor.
fn saved(dice: &mut Dice) -> String {
    if std::mem::replace(&mut dice.is_saved, true) && dice.below(3) > 0 {
        dice.one(&["\x1b8", "\x1b[u"]).to_owned() + ASCII
    } else {
        dice.column() + dice.one(&["\x1b7", "\x1b[s"])
    }
}

/// Switches to the alternate screen or back. It does not fill it with a colour: tmux does not.
fn alternate(dice: &mut Dice) -> String {
    dice.is_saved = false;
    match dice.alternate.take() {
        Some(mode) => format!("\x1b[{mode}l{ASCII}"),
        None => {
            let mode = dice.one(&["?1049", "?1049", "?1047", "?47"]);
            dice.alternate = Some(mode);
            format!("\x1b[m\x1b[{mode}h")
        }
    }
}

fn style(dice: &mut Dice) -> String {
    let color = |dice: &mut Dice, kind: u32| match dice.below(2) {
        0 => format!("{kind};5;{}", dice.below(256)),
        _ => format!(
            "{kind};2;{};{};{}",
            dice.below(256),
            dice.below(256),
            dice.below(256)
        ),
    };
    let body = match dice.below(9) {
        0 => String::new(),
        1 => dice.one(&["1", "2", "3", "4", "5", "7", "8", "9"]).into(),
        2 => dice
            .one(&["22", "23", "24", "25", "27", "28", "29", "39", "49", "59"])
            .into(),
        3 => format!("{};{}", dice.one(&["0", "1", "4"]), 30 + dice.below(8)),
        4 => (40 + dice.below(8)).to_string(),
        5 => (dice.one(&[90, 100]) + dice.below(8)).to_string(),
        6 => color(dice, 38),
        7 => color(dice, 48),
        _ => match dice.below(3) {
            0 => format!("4:{}", dice.below(6)),
            1 => format!("58:5:{}", dice.below(256)),
            _ => format!(
                "58:2::{}:{}:{}",
                dice.below(256),
                dice.below(256),
                dice.below(256)
            ),
        },
    };
    format!("\x1b[{body}m")
}
