//! Lists of words, which are data in files.

use std::sync::LazyLock;

pub(crate) type WordList = LazyLock<Vec<&'static str>>;

/// Returns the words of a list, which are separated by commas and line ends. Lines that start with `#` are comments.
pub(crate) fn words(list: &'static str) -> Vec<&'static str> {
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    let words = lines.flat_map(|line| line.split(',')).map(str::trim);
    words.filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_separated_by_commas_and_line_ends() {
        let list = "# Two kinds.\none, two words,\nthree\n\n# Others\n*four\n";
        assert_eq!(words(list), ["one", "two words", "three", "*four"]);
    }
}
