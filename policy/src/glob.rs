//! Text with `*`, which stands for any characters.

/// Returns whether `text` is as `pattern` says; `*` stands for any number of characters.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t) = (0, 0);
    // Where to go on if what follows the last star does not fit: the place after the star, and one character more.
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        if pattern.get(p) == Some(&'*') {
            p += 1;
            retry = Some((p, t));
        } else if pattern.get(p) == Some(&text[t]) {
            p += 1;
            t += 1;
        } else if let Some((after_star, start)) = retry {
            retry = Some((after_star, start + 1));
            (p, t) = (after_star, start + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, text) in [
            ("a", "a"),
            ("*", ""),
            ("a*", "a"),
            ("a*c", "abbc"),
            ("*b*", "abc"),
            ("a*b*c", "aXbXbc"),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("a", "b"), ("a*c", "abd"), ("", "a"), ("a*b", "a")] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }
}
