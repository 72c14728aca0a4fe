//! Line editors that draw their line again for each key, and programs that print without end.

use super::runs::{findings, run};
use crate::support::session::lacks;
use crate::support::{Daemon, executable};
use serde_json::json;

/// Draws `width` bytes for each key, and in addition prints without end after an empty line, if asked to.
fn editor(width: usize, is_endless: bool) -> String {
    let after = if is_endless {
        "while not line: draw()"
    } else {
        "pass"
    };
    format!(
        r#"#!/usr/bin/env python3
import os, tty
tty.setraw(0)
row = b'\r' + b'x' * {width}
def draw(times=1):
    data = row * times
    while data:
        data = data[os.write(1, data):]
os.write(1, b'> ')
line = b''
while keys := os.read(0, 4096):
    if b'\x04' in keys: break
    for part in keys.split(b'\r')[:-1]:
        line += part
        draw(len(part))
        {after}
        line = b''
        os.write(1, b'\r\nunknown\r\n> ')
    last = keys.split(b'\r')[-1]
    line += last
    draw(len(last))
os.write(1, b'\r\n')
"#
    )
}

#[test]
fn a_line_that_is_drawn_again_for_each_key_is_not_a_flood() {
    if lacks(&["python3"]) {
        return;
    }
    for (width, is_endless, wanted) in [(120, false, &[][..]), (10, true, &["flood"])] {
        let daemon = Daemon::start();
        let program = daemon.home().join("editor");
        executable::write_script(&program, &editor(width, is_endless));
        let report = run(
            &daemon,
            json!({"program": program, "types": ["invalid_input"], "seed": 7}),
        );
        let found = findings(&report, "invalid_input");
        let kinds: Vec<&str> = found.iter().map(|(kind, _)| &**kind).collect();
        assert_eq!(kinds, wanted, "{report}");
    }
}
