//! Commands that execute other commands.

/// Commands that execute their arguments after their options, and nothing else: the name, then the options that are known.
/// The last character of an option says where its value is: `:` in the next word, `=` after that sign, `*` in the rest of
/// the word, and `#` that the rest is a number.
const WRAPPERS: &str = include_str!("wrappers.txt");

/// Shells whose language is the one that is understood here.
pub(super) const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ash", "ksh"];

/// Commands that execute others in ways that are not taken apart.
const OPAQUE: &str = include_str!("opaque.txt");

/// Builtins that evaluate the names and subscripts among their arguments; one that is also in `opaque.txt` evaluates all of them.
const EVALUATING: &str = include_str!("evaluating.txt");

pub(super) fn is_opaque(name: &str) -> bool {
    OPAQUE.lines().any(|opaque| opaque == name)
}

pub(super) fn is_evaluating(name: &str) -> bool {
    EVALUATING.lines().any(|evaluating| evaluating == name)
}

/// A command that only starts another one.
pub(super) struct Wrapper {
    pub(super) name: &'static str,
    options: &'static str,
}

impl Wrapper {
    pub(super) fn find(name: &str) -> Option<Self> {
        let mut all = WRAPPERS.lines().map(|line| match line.split_once(' ') {
            Some((name, options)) => Self { name, options },
            None => Self {
                name: line,
                options: "",
            },
        });
        all.find(|wrapper| wrapper.name == name)
    }

    /// Returns how many words the option takes; `None` if it is not known.
    pub(super) fn option_len(&self, option: &str) -> Option<usize> {
        let len = |known: &str| {
            let (start, end) = known.split_at(known.len() - 1);
            let rest = option.strip_prefix(start);
            let is_it = match (end, rest) {
                (":", rest) => return (rest == Some("")).then_some(2),
                ("=", Some(rest)) => rest.starts_with('='),
                ("*", Some(rest)) => !rest.is_empty(),
                ("#", Some(rest)) => rest.bytes().all(|byte| byte.is_ascii_digit()),
                _ => known == option,
            };
            is_it.then_some(1)
        };
        self.options.split_whitespace().find_map(len)
    }
}
