//! Positions in a text. Each step returns the position after what it expects, or `None` if something else is there.

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Cursor<'a> {
    #[inline] // with `before`, for each byte of a text
    pub(super) fn rest(self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    #[inline]
    pub(super) fn before(self) -> Option<u8> {
        Some(self.bytes[self.at.checked_sub(1)?])
    }

    /// Takes as many bytes of a kind as possible: at least `least` and at most `most`.
    pub(super) fn run(self, least: usize, most: usize, kind: fn(&u8) -> bool) -> Option<Self> {
        let bytes = self.rest().iter().take(most);
        let taken = bytes.take_while(|byte| kind(byte)).count();
        (taken >= least).then(|| self.skip(taken))
    }

    pub(super) fn digits(self, least: usize, most: usize) -> Option<Self> {
        self.run(least, most, u8::is_ascii_digit)
    }

    /// Takes a number of one or two digits that is at most `most`.
    pub(super) fn number(self, least_digits: usize, most: u8) -> Option<Self> {
        let end = self.digits(least_digits, 2)?;
        let digits = self.bytes[self.at..end.at].iter();
        let number = digits.fold(0, |number, digit| number * 10 + (digit - b'0'));
        (number <= most).then_some(end)
    }

    pub(super) fn one_of(self, choice: &[u8]) -> Option<Self> {
        choice.contains(self.rest().first()?).then(|| self.skip(1))
    }

    pub(super) fn text(self, text: &[u8]) -> Option<Self> {
        self.rest().starts_with(text).then(|| self.skip(text.len()))
    }

    pub(super) fn any_text(self, texts: &[&[u8]]) -> Option<Self> {
        texts.iter().find_map(|text| self.text(text))
    }

    /// Takes one of the names of months or days.
    pub(super) fn name(self, names: &[&[u8; 3]]) -> Option<Self> {
        let name = self.rest().first_chunk()?;
        names.contains(&name).then(|| self.skip(3))
    }

    /// Takes a step if that is possible.
    pub(super) fn maybe(self, step: impl Fn(Self) -> Option<Self>) -> Self {
        step(self).unwrap_or(self)
    }

    /// Stays here, unless a word continues.
    pub(super) fn word_end(self) -> Option<Self> {
        let next = self.rest().first();
        next.is_none_or(|byte| !is_word(*byte)).then_some(self)
    }

    pub(super) fn skip(self, len: usize) -> Self {
        let at = self.at + len;
        Self { at, ..self }
    }
}
