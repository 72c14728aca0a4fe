//! A text, and where it had something invisible.

/// The text that rules read.
#[derive(Debug, Clone, Copy)]
pub(in crate::redact) struct Shown<'a> {
    pub(in crate::redact) text: &'a str,
    /// Where control sequences and other invisible bytes were removed, in ascending order.
    seams: &'a [usize],
}

impl<'a> Shown<'a> {
    pub(in crate::redact) fn with_seams(text: &'a str, seams: &'a [usize]) -> Self {
        Self { text, seams }
    }

    /// Returns the lines, each with its place, and as it would be shown alone; none if there is only one.
    pub(in crate::redact) fn lines(self) -> impl Iterator<Item = (usize, &'a str, Vec<usize>)> {
        let is_break = |c: char| matches!(c, '\r' | '\n');
        let text = self.text.trim_end_matches(is_break);
        let lines = text
            .split(is_break)
            .filter(move |_| text.contains(is_break));
        let lines = lines.filter(|line| !line.is_empty());
        lines.map(move |line| {
            let start = line.as_ptr().addr() - text.as_ptr().addr();
            let first = self.seams.partition_point(|seam| *seam < start);
            let last = self
                .seams
                .partition_point(|seam| *seam <= start + line.len());
            let seams = self.seams[first..last].iter().map(|seam| seam - start);
            (start, line, seams.collect())
        })
    }

    /// Returns the byte immediately before `at`.
    /// `None` at the start of the text and after a seam: something invisible ends a word just as a blank does. The same
    /// is true of a line end or a tab that is written as `\n` or `\t`, as in JSON within JSON.
    pub(in crate::redact) fn before(self, at: usize) -> Option<u8> {
        match &self.text.as_bytes()[..at] {
            [.., b'\\', b'n' | b'r' | b't'] => None,
            before => before.last().copied().filter(|_| !self.is_seam(at)),
        }
    }

    /// Returns the byte at `at`; `None` at the end of the text and at a seam.
    pub(in crate::redact) fn after(self, at: usize) -> Option<u8> {
        let after = self.text.as_bytes().get(at);
        after.copied().filter(|_| !self.is_seam(at))
    }

    fn is_seam(self, at: usize) -> bool {
        self.seams.binary_search(&at).is_ok()
    }
}

impl<'a> From<&'a str> for Shown<'a> {
    fn from(text: &'a str) -> Self {
        Self::with_seams(text, &[])
    }
}
