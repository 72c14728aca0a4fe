//! Texts that are shortened for people.

/// Returns at most `max` characters; the last one of a text that was longer is `…`.
#[must_use]
pub fn clip(text: &str, max: usize) -> String {
    if text.char_indices().nth(max).is_none() {
        return text.to_owned();
    }
    let end = text.char_indices().nth(max.saturating_sub(1));
    let end = end.map_or(0, |(at, _)| at);
    format!("{}…", text[..end].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_counts_characters_and_includes_the_mark() {
        assert_eq!(clip("äöü", 3), "äöü");
        assert_eq!(clip("äöüß", 3), "äö…");
        assert_eq!(clip("a bc", 3), "a…");
        assert_eq!(clip("ab", 0), "…");
    }
}
