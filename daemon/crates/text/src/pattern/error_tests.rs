//! Tests which lines report errors.

use super::Compiled;
use crate::test_lines::lines;

#[test]
fn error_lines_are_told_from_others() {
    let library = Compiled::built_in();
    for line in &lines("errors") {
        assert!(library.is_error_line(line), "{line:?} is an error");
    }
    for line in &lines("no_errors") {
        assert!(!library.is_error_line(line), "{line:?} is no error");
    }
}
