//! Words that several renderers need.

/// Joins texts.
pub(crate) fn joined<T: ToString>(gap: &str, all: impl IntoIterator<Item = T>) -> String {
    let all: Vec<String> = all.into_iter().map(|one| one.to_string()).collect();
    all.join(gap)
}

/// Joins the first texts, and says how many more there are.
pub(crate) fn few<T: ToString>(
    most: usize,
    gap: &str,
    all: impl ExactSizeIterator<Item = T>,
) -> String {
    let more = all.len().saturating_sub(most);
    let first = joined(gap, all.take(most));
    match more {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}
