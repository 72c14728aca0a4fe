//! What a page made to be shared does not say: where the exporter's home is, the name of the host, ids of sessions.

use std::path::Path;

/// Texts that are replaced in every record, unless the exporter wants them.
#[derive(Debug, Default, Clone)]
pub struct Private {
    /// Each with what it becomes.
    names: Vec<(String, &'static str)>,
}

impl Private {
    /// `homes` are absolute paths, `host` is the name of this machine, `sessions` are ids.
    #[must_use]
    pub fn new<'h, 's>(
        homes: impl IntoIterator<Item = &'h Path>,
        host: &str,
        sessions: impl IntoIterator<Item = &'s str>,
    ) -> Self {
        let mut names = Vec::new();
        let mut add = |name: &str, shown| {
            if name.len() > 2 && !names.iter().any(|(known, _)| known == name) {
                names.push((name.to_owned(), shown));
            }
        };
        for home in homes {
            let home = home.to_string_lossy();
            let home = home.trim_end_matches('/');
            add(home, "~");
            // Claude Code names directories of projects like this.
            add(
                &home.replace(|c: char| !c.is_ascii_alphanumeric(), "-"),
                "-~",
            );
        }
        if host != "localhost" {
            add(host, "host");
        }
        sessions.into_iter().for_each(|id| add(id, "session"));
        Self { names }
    }

    /// Returns a text without them. Only whole names are replaced: `/root` is not part of `/rooted` or of `/srv/root`.
    #[must_use]
    pub fn hide(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (name, shown) in &self.names {
            if text.contains(name.as_str()) {
                text = hidden(&text, name, shown);
            }
        }
        text
    }
}

fn hidden(text: &str, name: &str, shown: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    // What stands before it may be an option or a colour, but `a/root` is another path.
    let is_clear = name.starts_with('-') || name.matches('/').count() > 1;
    let (mut clean, mut copied) = (String::with_capacity(text.len()), 0);
    for (at, _) in text.match_indices(name) {
        // Of an escape such as `\n`, the letter is no part of a name.
        let before = text[..at].chars().next_back();
        let is_escape =
            text[..at].ends_with(['n', 't', 'r', 'b', 'f']) && text[..at - 1].ends_with('\\');
        let starts_inside = before.is_some_and(is_part) && !is_escape && !is_clear;
        let ends_inside = text[at + name.len()..].starts_with(is_part);
        if at >= copied && !starts_inside && !ends_inside {
            clean.push_str(&text[copied..at]);
            clean.push_str(shown);
            copied = at + name.len();
        }
    }
    clean.push_str(&text[copied..]);
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_names_are_hidden() {
        let homes = [Path::new("/home/ann.b/"), Path::new("/root")];
        let private = Private::new(homes, "build-7", ["5fc07b19-3c4e"]);
        for (text, expected) in [
            ("/home/ann.b/x /home/ann.bc", "~/x /home/ann.bc"),
            ("\"/root\" /rooted a/root", "\"~\" /rooted a/root"),
            (r#"one\n/root/x"#, r#"one\n~/x"#),
            ("/c/projects/-home-ann-b-shop/x", "/c/projects/-~-shop/x"),
            ("cc -I/home/ann.b/include", "cc -I~/include"),
            ("\u{1b}[34m/home/ann.b\u{1b}[m", "\u{1b}[34m~\u{1b}[m"),
            ("file://build-7/home/ann.b/x", "file://host~/x"),
            ("ssh build-7: build-77", "ssh host: build-77"),
            (
                r#"{"sessionId":"5fc07b19-3c4e"}"#,
                r#"{"sessionId":"session"}"#,
            ),
        ] {
            assert_eq!(private.hide(text), expected);
        }
    }
}
