//! "Not npm. Use pnpm": two sentences that say one thing.

use crate::table::Patterns;
use std::borrow::Cow;
use std::sync::LazyLock;

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(include_str!("refusal.txt")));

/// Returns a text with what is not to be used after what is: "Use pnpm, not npm". Any other text stays.
pub(super) fn joined(text: &str) -> Cow<'_, str> {
    let found = PATTERNS.get("refusal").captures(text);
    let Some(found) = found.or_else(|| PATTERNS.get("afterwards").captures(text)) else {
        return text.into();
    };
    let [not, thing, verb, want] = ["not", "thing", "use", "want"].map(|part| &found[part]);
    let has_article = |name| PATTERNS.is_match("article", name);
    // "Not good. Use the existing client" refuses nothing that could be used.
    if PATTERNS.is_match("judgement", thing) || has_article(thing) != has_article(want) {
        return text.into();
    }
    let comma = if not.ends_with(' ') { ", " } else { "，" };
    let not = not.to_lowercase();
    format!("{verb}{want}{comma}{not}{thing}{}", &text[found[0].len()..]).into()
}
