//! Headers of WebSocket frames, and the codes that close a WebSocket (RFC 6455, sections 5.2 and 7.4).

use std::borrow::Cow;

/// The bits of a header's first byte.
const IS_FINAL: u8 = 0x80;
const RESERVED: u8 = 0x70;
const OPCODE: u8 = 0x0f;

/// The bits of its second byte.
const IS_MASKED: u8 = 0x80;
const LEN: u8 = 0x7f;

/// Values of the length that mean: it follows, in 2 or 8 bytes.
const LEN_IN_2_BYTES: u8 = 126;
const LEN_IN_8_BYTES: u8 = 127;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OpCode {
    Continue = 0,
    Text = 1,
    Binary = 2,
    Close = 8,
    Ping = 9,
    Pong = 10,
}

impl OpCode {
    fn from_bits(bits: u8) -> Option<Self> {
        use OpCode::{Binary, Close, Continue, Ping, Pong, Text};
        let all = [Continue, Text, Binary, Close, Ping, Pong];
        all.into_iter().find(|opcode| *opcode as u8 == bits)
    }

    pub(super) fn is_control(self) -> bool {
        self as u8 >= Self::Close as u8
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct FrameHeader {
    pub(super) opcode: OpCode,
    pub(super) is_final: bool,
    pub(super) mask: [u8; 4],
    pub(super) payload_bytes: u64,
}

impl FrameHeader {
    /// Parses the bytes of a header that have arrived; `None` if some are missing.
    /// The error is the code to close with if a client may not send such a frame.
    pub(super) fn parse(head: &[u8]) -> Result<Option<Self>, CloseCode> {
        let [first, second, rest @ ..] = head else {
            return Ok(None);
        };
        let opcode = OpCode::from_bits(first & OPCODE).ok_or(CloseCode::PROTOCOL)?;
        if first & RESERVED != 0 || second & IS_MASKED == 0 {
            return Err(CloseCode::PROTOCOL);
        }
        let (len, mask) = match second & LEN {
            LEN_IN_2_BYTES => rest.split_at_checked(2).unwrap_or_default(),
            LEN_IN_8_BYTES => rest.split_at_checked(8).unwrap_or_default(),
            _ => (std::slice::from_ref(second), rest),
        };
        let Some(mask) = mask.first_chunk() else {
            return Ok(None);
        };
        Ok(Some(Self {
            opcode,
            is_final: first & IS_FINAL != 0,
            mask: *mask,
            payload_bytes: match len {
                [short] => u64::from(short & LEN),
                len => len.iter().fold(0, |len, byte| len << 8 | u64::from(*byte)),
            },
        }))
    }
}

/// Returns the header of a frame from the server to the client.
pub(super) fn header(opcode: OpCode, payload_len: usize) -> Vec<u8> {
    let mut header = vec![IS_FINAL | opcode as u8];
    match (u8::try_from(payload_len), u16::try_from(payload_len)) {
        (Ok(len), _) if len < LEN_IN_2_BYTES => header.push(len),
        (_, Ok(len)) => {
            header.push(LEN_IN_2_BYTES);
            header.extend(len.to_be_bytes());
        }
        _ => {
            header.push(LEN_IN_8_BYTES);
            header.extend((payload_len as u64).to_be_bytes());
        }
    }
    header
}

/// What a client sends.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Incoming<'a> {
    /// A message; it may be neither UTF-8 nor JSON.
    Text(Cow<'a, [u8]>),
    /// A line over the limit.
    TooLong,
    /// The payload, which the pong repeats.
    Ping(Vec<u8>),
    /// The client closes or has violated the protocol: the code of the reply. Nothing is read after it.
    Close(Option<CloseCode>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CloseCode(u16);

impl CloseCode {
    pub(super) const NORMAL: Self = Self(1000);
    pub(super) const AWAY: Self = Self(1001);
    pub(super) const PROTOCOL: Self = Self(1002);
    /// The message is not text.
    pub(super) const UNSUPPORTED: Self = Self(1003);
    /// The text is not UTF-8.
    pub(super) const INVALID: Self = Self(1007);
    pub(super) const SIZE: Self = Self(1009);
    pub(super) const TRY_AGAIN_LATER: Self = Self(1013);

    /// Returns a code that a frame may contain: one that is defined, and does not mean that there was no frame.
    pub(super) fn parse(code: u16) -> Option<Self> {
        matches!(code, 1000..=1003 | 1007..=1013 | 3000..=4999).then_some(Self(code))
    }

    pub(super) fn to_be_bytes(self) -> [u8; 2] {
        self.0.to_be_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Cursor;
    use tokio_tungstenite::tungstenite::protocol::frame;
    use tokio_tungstenite::tungstenite::protocol::frame::coding;

    fn theirs(head: &[u8]) -> Result<Option<FrameHeader>, CloseCode> {
        let parsed = frame::FrameHeader::parse(&mut Cursor::new(head));
        let Some((header, payload_bytes)) = parsed.map_err(|_| CloseCode::PROTOCOL)? else {
            return Ok(None);
        };
        let is_reserved = header.rsv1 || header.rsv2 || header.rsv3;
        Ok(Some(FrameHeader {
            opcode: OpCode::from_bits(header.opcode.into()).unwrap(),
            is_final: header.is_final,
            mask: header
                .mask
                .filter(|_| !is_reserved)
                .ok_or(CloseCode::PROTOCOL)?,
            payload_bytes,
        }))
    }

    proptest! {
        #[test]
        fn any_header_means_what_another_implementation_reads(
            first in prop_oneof![Just(0x81), any::<u8>()],
            second in prop_oneof![Just(0xfe), Just(0xff), 0x80u8..],
            rest in proptest::collection::vec(any::<u8>(), 12),
        ) {
            let head = [&[first, second], &*rest].concat();
            prop_assert_eq!(FrameHeader::parse(&head), theirs(&head));
            let needed = (0..head.len()).find(|len| FrameHeader::parse(&head[..*len]) != Ok(None));
            if let Ok(Some(_)) = theirs(&head) {
                let known = (0..head.len()).find(|len| theirs(&head[..*len]) != Ok(None));
                prop_assert_eq!(needed, known);
            }
        }

        #[test]
        fn any_length_is_written_as_another_implementation_writes_it(
            len in prop_oneof![0usize..200, 65_500usize..65_600, any::<usize>()],
        ) {
            let mut written = Vec::new();
            frame::FrameHeader::default().format(len as u64, &mut written).unwrap();
            written[0] = 0x81;
            prop_assert_eq!(header(OpCode::Text, len), written);
        }

        #[test]
        fn any_code_is_allowed_if_another_implementation_allows_it(code: u16) {
            prop_assert_eq!(CloseCode::parse(code).is_some(), coding::CloseCode::from(code).is_allowed());
        }
    }
}
