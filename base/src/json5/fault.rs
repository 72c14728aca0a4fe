//! What can be wrong with a text, and where.

/// What is wrong, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("the file ends inside {within}: it is truncated, or something is not closed")]
    Ends { within: &'static str },
    #[error("expected {wanted}, found {found}")]
    Unexpected { wanted: &'static str, found: String },
    #[error("objects and lists are nested more than {most} deep")]
    TooDeep { most: u32 },
    #[error("more than {most} values")]
    TooMany { most: u32 },
    #[error(
        "a string must end on its line: close it with {quote}, or end the line with a backslash"
    )]
    OpenText { quote: char },
    #[error("{what}: write \\\\ for a backslash, \\xHH or \\uHHHH for a character by number")]
    Escape { what: &'static str },
    #[error("{text:?} is not a number")]
    Number { text: String },
    #[error("{} must be {wanted}, not {found}", name(.path))]
    Kind {
        path: String,
        wanted: &'static str,
        found: String,
    },
}

fn name(path: &str) -> String {
    if path.is_empty() {
        "this value".to_owned()
    } else {
        format!("`{path}`")
    }
}

/// A fault at an offset. Boxed, because almost all results contain none.
#[derive(Debug)]
pub struct Stop<F = Fault>(Box<(usize, F)>);

impl<F> Stop<F> {
    pub fn at(offset: usize, fault: impl Into<F>) -> Self {
        Self(Box::new((offset, fault.into())))
    }

    pub fn offset(&self) -> usize {
        self.0.0
    }

    pub fn fault(&self) -> &F {
        &self.0.1
    }

    pub(crate) fn fault_mut(&mut self) -> &mut F {
        &mut self.0.1
    }

    pub fn into_fault(self) -> F {
        self.0.1
    }
}

/// Returns the line and the column of an offset, both counted from 1; the column counts characters.
/// Lines end as in editors: with `\n`, `\r\n` or `\r`. A byte order mark has no column.
pub fn place(text: &[u8], offset: usize) -> (u64, u64) {
    let before = text.get(..offset).unwrap_or(text);
    let begin = memchr::memrchr2(b'\n', b'\r', before).map_or(0, |at| at + 1);
    let line = before.get(begin..).unwrap_or_default();
    let line_text = line.strip_prefix(BOM.as_bytes()).unwrap_or(line);
    let characters = line_text.iter().filter(|&&byte| byte & 0xc0 != 0x80);
    (lines_in(before) + 1, characters.count() as u64 + 1)
}

/// Returns the number of line ends.
pub fn lines_in(text: &[u8]) -> u64 {
    let ends = memchr::memchr2_iter(b'\n', b'\r', text);
    let lines = ends.filter(|&at| text[at] == b'\n' || text.get(at + 1) != Some(&b'\n'));
    lines.count() as u64
}

/// The byte order mark.
pub const BOM: &str = "\u{feff}";
