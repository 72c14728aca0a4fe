//! Parses a CSI sequence.

/// The parts of a CSI sequence; the slices point into its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Csi<'a> {
    /// One of `<=>?`, or 0.
    pub prefix: u8,
    params: &'a [u8],
    /// The intermediate byte, such as `$`, or 0.
    pub intermediate: u8,
    pub action: u8,
}

impl<'a> Csi<'a> {
    /// Returns the parts of `body` (everything after `ESC [`); `None` if they are out of order or there are two
    /// intermediates.
    pub fn parse(body: &'a [u8]) -> Option<Self> {
        let (&action, rest) = body.split_last()?;
        let (prefix, rest) = match rest.split_first() {
            Some((&first @ b'<'..=b'?', rest)) => (first, rest),
            _ => (0, rest),
        };
        let (intermediate, params) = match rest.split_last() {
            Some((&last @ 0x20..=0x2f, params)) => (last, params),
            _ => (0, rest),
        };
        let in_order = params
            .iter()
            .all(|byte| matches!(byte, b'0'..=b'9' | b';' | b':'));
        in_order.then_some(Self {
            prefix,
            params,
            intermediate,
            action,
        })
    }

    /// Returns each parameter as it was written, with its subparameters.
    pub fn params(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        self.params.split(|&byte| byte == b';')
    }

    /// Returns each parameter: 0 for a missing one, 65,535 for one that is too large, only the 4 for `4:3`.
    pub fn numbers(&self) -> impl Iterator<Item = u16> + use<'a> {
        self.params().map(number)
    }

    /// Returns the first parameter, 0 when there is none.
    pub fn first(&self) -> u16 {
        self.numbers().next().unwrap_or(0)
    }

    pub fn is_bare(&self) -> bool {
        self.params.is_empty()
    }

    /// Returns what identifies the sequence: prefix, intermediate and final byte.
    pub fn shape(&self) -> (u8, u8, u8) {
        (self.prefix, self.intermediate, self.action)
    }
}

/// Returns the number at the start of `param`, 0 if there is none, at most 65,535.
#[inline]
pub fn number(param: &[u8]) -> u16 {
    let digits = param.iter().take_while(|byte| byte.is_ascii_digit());
    let number = digits.fold(0_u32, |number, digit| {
        (number * 10 + u32::from(digit - b'0')).min(u16::MAX.into())
    });
    number as u16
}

/// Returns whether a CSI body only concerns styles, movements or erasing, and so neither sets, saves or
/// restores a mode nor is a query.
#[inline]
pub fn is_picture_only(body: &[u8]) -> bool {
    match body {
        [b'>' | b'?', .., b'm'] => false,
        [.., last] => !matches!(last, b'c' | b'h' | b'l' | b'n' | b'p'..=b'u' | b'w'..=b'y' | b'S'),
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefix_parameters_intermediate_and_action_come_apart() {
        let csi = Csi::parse(b"?2004;1$p").unwrap();
        assert_eq!(csi.shape(), (b'?', b'$', b'p'));
        assert_eq!(csi.numbers().collect::<Vec<_>>(), [2004, 1]);
        assert_eq!(Csi::parse(b"c").unwrap().numbers().collect::<Vec<_>>(), [0]);
        let large = Csi::parse(b";99999999H").unwrap();
        assert!(large.numbers().eq([0, u16::MAX]));
        let parts = Csi::parse(b"4:3;7m").unwrap();
        assert!(parts.numbers().eq([4, 7]));
    }

    #[test]
    fn parts_out_of_order_are_refused() {
        for body in [&b""[..], b"1?2h", b"1 2q", b"!$p"] {
            assert_eq!(Csi::parse(body), None, "{body:?}");
        }
    }

    #[test]
    fn what_sets_or_asks_is_not_for_the_picture_only() {
        for body in ["m", "1;31m", "H", "K", "2J", "5A", "3;4f", "@"] {
            assert!(is_picture_only(body.as_bytes()), "{body}");
        }
        for body in [
            "?25h", "c", ">c", "6n", "?1$p", ">q", "2 q", "r", "s", "18t", "?u", ">1u", ">4;2m",
            "?4m", "!p", "",
        ] {
            assert!(!is_picture_only(body.as_bytes()), "{body}");
        }
    }
}
