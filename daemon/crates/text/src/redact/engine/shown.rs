//! A text, and where in it something stands that nobody sees.

/// What rules look at.
#[derive(Debug, Clone, Copy)]
pub(in crate::redact) struct Shown<'a> {
    pub(in crate::redact) text: &'a str,
    /// Where control sequences and other bytes without a picture stood; in order.
    seams: &'a [usize],
}

impl<'a> Shown<'a> {
    pub(in crate::redact) fn with_seams(text: &'a str, seams: &'a [usize]) -> Self {
        Self { text, seams }
    }

    /// The byte that stands right before; none where the text begins, or where something invisible stands between: a
    /// secret may end there as it may at the end of a word.
    pub(in crate::redact) fn before(self, at: usize) -> Option<u8> {
        let before = self.text.as_bytes()[..at].last();
        before.copied().filter(|_| !self.is_seam(at))
    }

    /// Likewise the byte that stands right behind.
    pub(in crate::redact) fn behind(self, at: usize) -> Option<u8> {
        let behind = self.text.as_bytes().get(at);
        behind.copied().filter(|_| !self.is_seam(at))
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
