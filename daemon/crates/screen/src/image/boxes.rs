//! Lines, blocks and dots that must meet those of the next cell. They are drawn here, because fonts draw them without
//! gaps only in cells of their own size.

use super::super::palette::Rgb;
use super::canvas::Canvas;
use super::paint::Paint;
use super::{CELL_HEIGHT, CELL_WIDTH};

const WIDTH: i32 = CELL_WIDTH as i32;
const HEIGHT: i32 = CELL_HEIGHT as i32;

/// Column and row of the pixel in the middle of a cell.
const MIDDLE: (i32, i32) = (WIDTH / 2, HEIGHT / 2);

/// Lines from the middle of a cell up, right, down and left: 0 none, 1 light, 2 heavy, 3 double. From U+2500 on; dashes
/// and curves are drawn in another way.
const ARMS: [u16; 128] = [
    0o0101, 0o0202, 0o1010, 0o2020, 0, 0, 0, 0, 0, 0, 0, 0, 0o0110, 0o0210, 0o0120, 0o0220, //
    0o0011, 0o0012, 0o0021, 0o0022, 0o1100, 0o1200, 0o2100, 0o2200, 0o1001, 0o1002, 0o2001, 0o2002,
    0o1110, 0o1210, 0o2110, 0o1120, //
    0o2120, 0o2210, 0o1220, 0o2220, 0o1011, 0o1012, 0o2011, 0o1021, 0o2021, 0o2012, 0o1022, 0o2022,
    0o0111, 0o0112, 0o0211, 0o0212, //
    0o0121, 0o0122, 0o0221, 0o0222, 0o1101, 0o1102, 0o1201, 0o1202, 0o2101, 0o2102, 0o2201, 0o2202,
    0o1111, 0o1112, 0o1211, 0o1212, //
    0o2111, 0o1121, 0o2121, 0o2112, 0o2211, 0o1122, 0o1221, 0o2212, 0o1222, 0o2122, 0o2221, 0o2222,
    0, 0, 0, 0, //
    0o0303, 0o3030, 0o0310, 0o0130, 0o0330, 0o0013, 0o0031, 0o0033, 0o1300, 0o3100, 0o3300, 0o1003,
    0o3001, 0o3003, 0o1310, 0o3130, //
    0o3330, 0o1013, 0o3031, 0o3033, 0o0313, 0o0131, 0o0333, 0o1303, 0o3101, 0o3303, 0o1313, 0o3131,
    0o3333, 0, 0, 0, //
    0, 0, 0, 0, 0o0001, 0o1000, 0o0100, 0o0010, 0o0002, 0o2000, 0o0200, 0o0020, 0o0201, 0o1020,
    0o0102, 0o2010,
];

/// Quadrants from U+2596 on: 1 upper left, 2 upper right, 4 lower left, 8 lower right.
const QUADRANTS: [u8; 10] = [
    0b0100, 0b1000, 0b0001, 0b1101, 0b1001, 0b0111, 0b1011, 0b0010, 0b0110, 0b1110,
];

/// Draws `character` in the cell whose upper left corner is `at`. Returns false if it must be drawn as text.
pub(super) fn draw(
    character: char,
    at: (u32, u32),
    paint: Paint,
    canvas: &mut impl Canvas,
) -> bool {
    let mut cell = BoxCell {
        canvas,
        x: at.0 as i32,
        y: at.1 as i32,
        ink: paint.ink,
    };
    let code = character as u32;
    match code {
        0x2504..=0x250b | 0x254c..=0x254f => cell.dashes(code),
        0x256d..=0x2573 => cell.curve(code),
        0x2500..=0x257f => cell.arms(ARMS[(code - 0x2500) as usize]),
        0x2591..=0x2593 => {
            cell.ink = paint.mixed(100 - 25 * (code - 0x2590));
            cell.part(0.0, 0.0, 1.0, 1.0);
        }
        0x2580..=0x259f => cell.block(code),
        0x2800..=0x28ff => cell.braille(code),
        0xe0b0..=0xe0b3 => cell.arrow(code),
        _ => return false,
    }
    true
}

struct BoxCell<'a, C> {
    canvas: &'a mut C,
    x: i32,
    y: i32,
    ink: Rgb,
}

impl<C: Canvas> BoxCell<'_, C> {
    /// Fills the pixels from `(x, y)` to before `(end_x, end_y)`.
    fn fill(&mut self, x: i32, y: i32, end_x: i32, end_y: i32) {
        let (left, top) = ((self.x + x) as f32, (self.y + y) as f32);
        let (width, height) = ((end_x - x) as f32, (end_y - y) as f32);
        self.canvas.line(self.ink, left, top, width, height);
    }

    /// Fills a part of the cell, in units of cells.
    fn part(&mut self, x: f32, y: f32, width: f32, height: f32) {
        let left = self.x as f32 + x * WIDTH as f32;
        let top = self.y as f32 + y * HEIGHT as f32;
        let (width, height) = (width * WIDTH as f32, height * HEIGHT as f32);
        self.canvas.area(self.ink, left, top, width, height);
    }

    fn arms(&mut self, arms: u16) {
        let weight = |at: u16| arms >> (3 * at) & 7;
        let (up, right, down, left) = (weight(3), weight(2), weight(1), weight(0));
        let (x, y) = MIDDLE;
        for (side, start) in rails(right, left, (up, down)) {
            self.fill(x + start, y + side.0, WIDTH, y + side.1);
        }
        for (side, start) in rails(left, right, (up, down)) {
            self.fill(0, y + side.0, x - start + 1, y + side.1);
        }
        for (side, start) in rails(down, up, (left, right)) {
            self.fill(x + side.0, y + start, x + side.1, HEIGHT);
        }
        for (side, start) in rails(up, down, (left, right)) {
            self.fill(x + side.0, 0, x + side.1, y - start + 1);
        }
    }

    fn dashes(&mut self, code: u32) {
        // In each group of four: light and heavy, first horizontal, then vertical.
        let count = match code {
            0x2504..=0x2507 => 3,
            0x2508..=0x250b => 4,
            _ => 2,
        };
        let (from, to) = if code & 1 == 0 { (0, 1) } else { (-1, 2) };
        let is_across = code & 2 == 0;
        let whole = if is_across { WIDTH } else { HEIGHT };
        let len = (whole / count * 2 / 3).max(1);
        for start in (0..count).map(|index| index * whole / count) {
            if is_across {
                self.fill(start, MIDDLE.1 + from, start + len, MIDDLE.1 + to);
            } else {
                self.fill(MIDDLE.0 + from, start, MIDDLE.0 + to, start + len);
            }
        }
    }

    fn curve(&mut self, code: u32) {
        let (x, y) = (self.x as f32, self.y as f32);
        let (right, bottom) = (x + WIDTH as f32, y + HEIGHT as f32);
        let (middle_x, middle_y) = (x + MIDDLE.0 as f32 + 0.5, y + MIDDLE.1 as f32 + 0.5);
        let radius = right - middle_x;
        let (above, below) = (middle_y - radius, middle_y + radius);
        let (ink, canvas) = (self.ink, &mut *self.canvas);
        let arc = match code {
            0x256d => Some((bottom, below, 1, right)),
            0x256e => Some((bottom, below, 0, x)),
            0x256f => Some((y, above, 1, x)),
            0x2570 => Some((y, above, 0, right)),
            _ => None,
        };
        if let Some((from, bend, sweep, to)) = arc {
            let line = format_args!("M{middle_x},{from}V{bend}");
            let arc = format_args!("A{radius},{radius} 0 0 {sweep} {to},{middle_y}");
            canvas.stroke(ink, format_args!("{line}{arc}"));
        }
        if matches!(code, 0x2571 | 0x2573) {
            canvas.stroke(ink, format_args!("M{x},{bottom}L{right},{y}"));
        }
        if matches!(code, 0x2572 | 0x2573) {
            canvas.stroke(ink, format_args!("M{x},{y}L{right},{bottom}"));
        }
    }

    fn block(&mut self, code: u32) {
        let eighths = |from: u32| (code - from) as f32 / 8.0;
        match code {
            0x2580 => self.part(0.0, 0.0, 1.0, 0.5),
            0x2581..=0x2588 => self.part(0.0, 1.0 - eighths(0x2580), 1.0, eighths(0x2580)),
            0x2589..=0x258f => self.part(0.0, 0.0, 1.0 - eighths(0x2588), 1.0),
            0x2590 => self.part(0.5, 0.0, 0.5, 1.0),
            0x2594 => self.part(0.0, 0.0, 1.0, 0.125),
            0x2595 => self.part(0.875, 0.0, 0.125, 1.0),
            0x2596..=0x259f => {
                let quadrants = QUADRANTS[(code - 0x2596) as usize];
                for (bit, x, y) in [(1, 0.0, 0.0), (2, 0.5, 0.0), (4, 0.0, 0.5), (8, 0.5, 0.5)] {
                    if quadrants & bit != 0 {
                        self.part(x, y, 0.5, 0.5);
                    }
                }
            }
            _ => {}
        }
    }

    /// Draws two columns of four dots: first three of each, then the lowest ones.
    fn braille(&mut self, code: u32) {
        for bit in 0..8 {
            let (col, row) = if bit < 6 {
                (bit / 3, bit % 3)
            } else {
                (bit - 6, 3)
            };
            if code >> bit & 1 != 0 {
                let (x, y) = (col * 5 + 1, row * 4 + 2);
                self.fill(x, y, x + 2, y + 2);
            }
        }
    }

    /// Draws a separator of prompts, which few fonts contain.
    fn arrow(&mut self, code: u32) {
        let (x, y) = (self.x, self.y);
        let (mut base, mut tip) = (x, x + WIDTH);
        if code >= 0xe0b2 {
            (base, tip) = (tip, base);
        }
        let (middle, bottom) = (y + HEIGHT / 2, y + HEIGHT);
        let path = format_args!("M{base},{y}L{tip},{middle}L{base},{bottom}");
        if code & 1 == 0 {
            self.canvas.fill(self.ink, path);
        } else {
            self.canvas.stroke(self.ink, path);
        }
    }
}

/// Returns the lines of an arm: from and to across it, and where it starts along it, in pixels from the middle;
/// negative means up or left across, and beyond the middle along. `opposite` is the arm on the other side, `across` are
/// the two others.
fn rails(weight: u16, opposite: u16, across: (u16, u16)) -> Vec<((i32, i32), i32)> {
    let start = match (across.0 == 3, across.1 == 3) {
        (false, false) if across.0 == 2 || across.1 == 2 => -1,
        (false, false) => 0,
        _ if opposite != 0 => 0,
        // To the nearer of two lines, or around the corner of both.
        (true, true) => 1,
        _ => -1,
    };
    let of_double = |near: u16, far: u16| match (near, far) {
        (3, _) => 1,
        (0, 3) => -1,
        _ => 0,
    };
    match weight {
        1 => vec![((0, 1), start)],
        2 => vec![((-1, 2), start)],
        3 => vec![
            ((-1, 0), of_double(across.0, across.1)),
            ((1, 2), of_double(across.1, across.0)),
        ],
        _ => Vec::new(),
    }
}
