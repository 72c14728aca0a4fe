//! Frames of a WebSocket as a server sees them (RFC 6455): pure code, bytes in and messages out.

use super::frame::{CloseCode, FrameHeader, Incoming, OpCode};
use std::borrow::Cow;

const MAX_CONTROL_BYTES: usize = 125;

/// Initial size of the buffer for an unfinished message.
const SMALL_BUFFER_BYTES: usize = 1024;

/// Turns the bytes of a client into messages. Nothing arrives after [`Incoming::Close`].
#[derive(Debug)]
pub(crate) struct WebSocketFrames {
    limit_bytes: usize,
    /// The start of a frame whose header is not complete.
    head: Vec<u8>,
    frame: Option<OpenFrame>,
    /// Payload of a control frame, which may arrive between the fragments of a message.
    control: Vec<u8>,
    /// Payload so far of a message that is not complete.
    message: Option<Vec<u8>>,
    is_over: bool,
}

#[derive(Debug)]
struct OpenFrame {
    opcode: OpCode,
    is_final: bool,
    /// Starts with the mask of the next byte.
    mask: [u8; 4],
    missing_bytes: usize,
}

impl WebSocketFrames {
    /// Accepts messages of up to `limit_bytes` bytes, in any number of fragments.
    pub(crate) fn new(limit_bytes: usize) -> Self {
        Self {
            limit_bytes,
            head: Vec::new(),
            frame: None,
            control: Vec::new(),
            message: None,
            is_over: false,
        }
    }

    /// Returns what arrives next in `input` and advances `input` past it. `None` means that all of `input` was consumed.
    pub(crate) fn next<'a>(&mut self, input: &mut &[u8]) -> Option<Incoming<'a>> {
        while !self.is_over && !input.is_empty() {
            let arrived = self.step(input);
            let arrived = arrived.unwrap_or_else(|code| Some(Incoming::Close(Some(code))));
            self.is_over = matches!(arrived, Some(Incoming::Close(_)));
            if arrived.is_some() {
                return arrived;
            }
        }
        *input = &[];
        None
    }

    /// Number of bytes of the unfinished message.
    pub(crate) fn unfinished_len(&self) -> usize {
        self.message.as_ref().map_or(0, Vec::len)
    }

    /// Drops the unfinished message; nothing arrives any more.
    pub(crate) fn end(&mut self) {
        self.message = None;
        self.is_over = true;
    }

    /// Takes a part of `input`: of one header or of one payload.
    fn step<'a>(&mut self, input: &mut &[u8]) -> Result<Option<Incoming<'a>>, CloseCode> {
        if self.frame.is_none() {
            self.take_head(input)?;
        }
        let Some(mut frame) = self.frame.take() else {
            return Ok(None);
        };
        self.take_payload(&mut frame, input);
        if frame.missing_bytes > 0 {
            self.frame = Some(frame);
            return Ok(None);
        }
        self.complete(&frame)
    }

    fn take_head(&mut self, input: &mut &[u8]) -> Result<(), CloseCode> {
        while let Some((&byte, rest)) = input.split_first() {
            *input = rest;
            self.head.push(byte);
            if let Some(header) = FrameHeader::parse(&self.head)? {
                self.head.clear();
                self.frame = Some(self.open(&header)?);
                return Ok(());
            }
        }
        Ok(())
    }

    fn open(&mut self, header: &FrameHeader) -> Result<OpenFrame, CloseCode> {
        let len = usize::try_from(header.payload_bytes).unwrap_or(usize::MAX);
        match header.opcode {
            OpCode::Close | OpCode::Ping | OpCode::Pong => {
                if !header.is_final || len > MAX_CONTROL_BYTES {
                    return Err(CloseCode::PROTOCOL);
                }
                self.control.clear();
            }
            OpCode::Binary if self.message.is_none() => return Err(CloseCode::UNSUPPORTED),
            OpCode::Continue | OpCode::Text | OpCode::Binary => {
                if (header.opcode == OpCode::Continue) != self.message.is_some() {
                    return Err(CloseCode::PROTOCOL);
                }
                let message = self.message.get_or_insert_default();
                if len > self.limit_bytes - message.len() {
                    return Err(CloseCode::SIZE);
                }
            }
        }
        Ok(OpenFrame {
            opcode: header.opcode,
            is_final: header.is_final,
            mask: header.mask,
            missing_bytes: len,
        })
    }

    /// Takes as much of the payload as `input` has, without its mask.
    fn take_payload(&mut self, frame: &mut OpenFrame, input: &mut &[u8]) {
        let len = frame.missing_bytes.min(input.len());
        let (piece, rest) = input.split_at(len);
        *input = rest;
        let target = match &mut self.message {
            Some(message) if !frame.opcode.is_control() => message,
            _ => &mut self.control,
        };
        let start = target.len();
        if start + len > target.capacity() {
            // Doubling alone would take up to twice the limit.
            let double = (2 * (start + len)).max(SMALL_BUFFER_BYTES);
            let capacity = double.min((start + len).max(self.limit_bytes));
            target.reserve_exact(capacity - start);
        }
        target.extend_from_slice(piece);
        for four in target[start..].chunks_mut(4) {
            four.iter_mut()
                .zip(frame.mask)
                .for_each(|(byte, mask)| *byte ^= mask);
        }
        frame.mask.rotate_left(len % 4);
        frame.missing_bytes -= len;
    }

    fn complete<'a>(&mut self, frame: &OpenFrame) -> Result<Option<Incoming<'a>>, CloseCode> {
        Ok(match frame.opcode {
            OpCode::Ping => Some(Incoming::Ping(std::mem::take(&mut self.control))),
            OpCode::Close => Some(Incoming::Close(close_code(&self.control)?)),
            OpCode::Pong => None,
            OpCode::Continue | OpCode::Text | OpCode::Binary if frame.is_final => {
                self.message.take().map(Cow::Owned).map(Incoming::Text)
            }
            OpCode::Continue | OpCode::Text | OpCode::Binary => None,
        })
    }
}

/// Returns the code in the payload of a close frame, if there is one.
fn close_code(payload: &[u8]) -> Result<Option<CloseCode>, CloseCode> {
    let Some((code, reason)) = payload.split_first_chunk() else {
        return payload
            .is_empty()
            .then_some(None)
            .ok_or(CloseCode::PROTOCOL);
    };
    let code = CloseCode::parse(u16::from_be_bytes(*code));
    let code = code.filter(|_| std::str::from_utf8(reason).is_ok());
    code.map(Some).ok_or(CloseCode::PROTOCOL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LIMIT_BYTES: usize = 300;
    const TEXT: u8 = 0x81;

    /// A masked frame whose first byte is `first`.
    fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
        let mut frame = vec![first];
        match payload.len() {
            len @ 0..126 => frame.push(0x80 | len as u8),
            len => {
                frame.push(0x80 | 126);
                frame.extend((len as u16).to_be_bytes());
            }
        }
        let mask = [1, 2, 3, 4];
        frame.extend(mask);
        frame.extend(
            payload
                .iter()
                .zip(mask.iter().cycle())
                .map(|(byte, mask)| byte ^ mask),
        );
        frame
    }

    fn arrived(chunks: &[&[u8]]) -> Vec<Incoming<'static>> {
        let mut frames = WebSocketFrames::new(LIMIT_BYTES);
        let mut all = Vec::new();
        for chunk in chunks {
            let mut input = *chunk;
            while let Some(arrived) = frames.next(&mut input) {
                all.push(arrived);
            }
            assert!(input.is_empty());
            let message = frames.message.as_ref().map_or(0, Vec::capacity);
            assert!(message <= SMALL_BUFFER_BYTES && frames.control.len() <= MAX_CONTROL_BYTES);
        }
        all
    }

    #[test]
    fn fragments_with_a_ping_between_them_are_one_message() {
        let sent = [
            frame(0x01, b"one "),
            frame(0x89, b"ping"),
            frame(0x00, b""),
            frame(0x80, b"message"),
            frame(TEXT, b""),
        ];
        assert_eq!(
            arrived(&[&sent.concat()]),
            [
                Incoming::Ping(b"ping".to_vec()),
                Incoming::Text(b"one message".into()),
                Incoming::Text(b"".into()),
            ]
        );
    }

    #[test]
    fn each_violation_has_its_closing_code() {
        let unmasked = [TEXT, 1, b'a'];
        let too_long = [TEXT, 0xff, 0, 0, 0, 0, 0x7f, 0, 0, 0, 1, 2, 3, 4];
        let many = [frame(0x01, &[b'x'; 200]), frame(0x80, &[b'x'; 101])].concat();
        let second = [frame(0x01, b"a"), frame(TEXT, b"b")].concat();
        for (sent, code) in [
            (unmasked.to_vec(), CloseCode::PROTOCOL),
            (frame(0x83, b""), CloseCode::PROTOCOL),
            (frame(0x8b, b""), CloseCode::PROTOCOL),
            (frame(0xc1, b"a"), CloseCode::PROTOCOL),
            (frame(0x91, b"a"), CloseCode::PROTOCOL),
            (frame(0x89, &[0; 126]), CloseCode::PROTOCOL),
            (frame(0x09, b"a"), CloseCode::PROTOCOL),
            (frame(0x80, b"a"), CloseCode::PROTOCOL),
            (second, CloseCode::PROTOCOL),
            (frame(0x88, b"x"), CloseCode::PROTOCOL),
            (frame(0x88, &1005u16.to_be_bytes()), CloseCode::PROTOCOL),
            (frame(0x88, b"\x03\xe8\xff"), CloseCode::PROTOCOL),
            (frame(0x82, b"a"), CloseCode::UNSUPPORTED),
            (too_long.to_vec(), CloseCode::SIZE),
            (many, CloseCode::SIZE),
            (frame(TEXT, &[b'x'; LIMIT_BYTES + 1]), CloseCode::SIZE),
        ] {
            let all = arrived(&[&sent, &frame(TEXT, b"ignored")]);
            assert_eq!(all, [Incoming::Close(Some(code))], "{sent:x?}");
        }
        let all = arrived(&[&frame(0x88, b"\x03\xe8bye"), &frame(TEXT, b"ignored")]);
        assert_eq!(all, [Incoming::Close(Some(CloseCode::NORMAL))]);
        assert_eq!(arrived(&[&frame(0x88, b"")]), [Incoming::Close(None)]);
        let whole = [b'x'; LIMIT_BYTES];
        assert_eq!(
            arrived(&[&frame(TEXT, &whole)]),
            [Incoming::Text(whole.to_vec().into())]
        );
    }

    proptest! {
        #[test]
        fn any_cut_gives_the_messages_of_the_whole(
            frames in proptest::collection::vec(
                (prop_oneof![Just(TEXT), Just(0x01), Just(0x80), Just(0x00), Just(0x89), Just(0x8a), any::<u8>()],
                 proptest::collection::vec(any::<u8>(), 0..140)), 0..6),
            tail in proptest::collection::vec(any::<u8>(), 0..20),
            cuts in proptest::collection::vec(0usize..900, 0..20),
        ) {
            let mut whole: Vec<u8> = frames.iter().flat_map(|(first, payload)| frame(*first, payload)).collect();
            whole.extend(tail);
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(whole.len())).collect();
            cuts.extend([0, whole.len()]);
            cuts.sort_unstable();
            let chunks: Vec<&[u8]> = cuts.windows(2).map(|cut| &whole[cut[0]..cut[1]]).collect();
            prop_assert_eq!(arrived(&chunks), arrived(&[&whole]));
        }
    }
}
