//! Patterns of file names: `src/**`, `//etc/*`, `~/notes/*`.

/// A pattern of files, as in Claude Code's permission rules.
///
/// `//x` is absolute, `~/x` is in the home directory, everything else is relative to the project. `*` stands for
/// characters of one name, `**` for any number of directories. Only texts are compared; the policy looks up links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PathPattern {
    base: PathBase,
    names: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PathBase {
    Root,
    Home,
    Project,
    /// A pattern that is one name, such as `*.env`, is meant at any depth of the project.
    Anywhere,
}

impl PathPattern {
    /// Reads a pattern that is not empty; `None` if it leaves its directory with `..`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (base, rest) = if let Some(rest) = text.strip_prefix("//") {
            (PathBase::Root, rest)
        } else if let Some(rest) = text.strip_prefix("~/") {
            (PathBase::Home, rest)
        } else if let Some(rest) = text.strip_prefix("./").or_else(|| text.strip_prefix('/')) {
            (PathBase::Project, rest)
        } else if text.contains('/') {
            (PathBase::Project, text)
        } else {
            (PathBase::Anywhere, text)
        };
        let mut names: Vec<String> = rest
            .split('/')
            .filter(|name| !name.is_empty() && *name != ".")
            .map(str::to_owned)
            .collect();
        if names.is_empty() || names.iter().any(|name| name == "..") {
            return None;
        }
        if rest.ends_with('/') {
            names.push("**".to_owned());
        }
        Some(Self { base, names })
    }

    /// Returns whether the file is one of the pattern's, or in a directory that is one; `None` if that cannot be told.
    ///
    /// `path` is absolute, as are `project` and `home`.
    pub(super) fn matches(
        &self,
        path: &str,
        project: Option<&str>,
        home: Option<&str>,
    ) -> Option<bool> {
        let path = names(path)?;
        let base = match self.base {
            PathBase::Root => Vec::new(),
            PathBase::Home => names(home?)?,
            PathBase::Project | PathBase::Anywhere => names(project?)?,
        };
        let Some(rest) = path.strip_prefix(&base[..]) else {
            return Some(false);
        };
        let starts = if self.base == PathBase::Anywhere {
            rest.len()
        } else {
            1
        };
        Some((0..starts).any(|start| fits(&self.names, &rest[start.min(rest.len())..])))
    }
}

/// Returns the names of an absolute path, without `.` and with `..` resolved; `None` if it is not absolute.
fn names(path: &str) -> Option<Vec<&str>> {
    let mut names = Vec::new();
    for name in path.strip_prefix('/')?.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    Some(names)
}

/// Returns whether `names` start with what the pattern says.
fn fits(pattern: &[String], names: &[&str]) -> bool {
    // reachable[i]: the first i names fit the part of the pattern that was looked at.
    let mut reachable = vec![false; names.len() + 1];
    reachable[0] = true;
    for part in pattern {
        let mut next = vec![false; names.len() + 1];
        for i in 0..=names.len() {
            if part == "**" {
                next[i] = reachable[i] || (i > 0 && next[i - 1]);
            } else if i > 0 {
                next[i] = reachable[i - 1] && super::glob::matches(part, names[i - 1]);
            }
        }
        reachable = next;
    }
    reachable.contains(&true)
}

#[cfg(test)]
mod tests {
    use super::PathPattern;

    fn is_match(pattern: &str, path: &str) -> Option<bool> {
        PathPattern::parse(pattern)?.matches(path, Some("/p"), Some("/home/a"))
    }

    #[test]
    fn patterns_are_relative_to_their_base() {
        for (pattern, path) in [
            ("src/**", "/p/src/a/b.rs"),
            ("./src/*.rs", "/p/src/b.rs"),
            ("/src/*.rs", "/p/src/../src/b.rs"),
            ("*.env", "/p/a/b/x.env"),
            (".env", "/p/.env"),
            ("secrets/", "/p/secrets/x/y"),
            ("secrets", "/p/a/secrets/x"),
            ("//etc/**", "/etc/a/b"),
            ("~/.ssh/**", "/home/a/.ssh/id"),
            ("**/x", "/p/a/b/x"),
        ] {
            assert_eq!(is_match(pattern, path), Some(true), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("src/**", "/p/other/a"),
            ("src/**", "/p/src/../x"),
            ("src/*.rs", "/p/src/a/b.rs"),
            ("*.env", "/q/x.env"),
            ("//etc/**", "/p/etc/a"),
        ] {
            assert_eq!(is_match(pattern, path), Some(false), "{pattern} {path}");
        }
        assert_eq!(is_match("a/../b", "/p/b"), None);
        assert_eq!(is_match("src/**", "src/x"), None);
    }
}
