//! What agents may do: the keys `mcp.*`. A guard against mistakes, no sandbox: an agent with a shell can do anything.

use serde::{Deserialize, Serialize};
use std::path::Path;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// Programs that they may start: names, absolute paths, or `*` for all.
    pub programs: Vec<String>,
    pub sessions: Reach,
    pub read_only: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reach {
    /// Those that an agent of the same name has started.
    Own,
    All,
}

impl Policy {
    /// Returns whether an agent may start the program. A name in the list allows that name only, not a path to it.
    pub(crate) fn allows(&self, program: &str) -> bool {
        self.programs
            .iter()
            .any(|allowed| allowed == "*" || allowed == program)
    }

    /// Returns whether an agent may start the user's shell, which is given by its path.
    pub(crate) fn allows_shell(&self, shell: &str) -> bool {
        let name = Path::new(shell).file_name().and_then(|name| name.to_str());
        self.allows(shell) || name.is_some_and(|name| self.allows(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_allows_no_path_but_that_of_the_shell() {
        let policy = |programs: &[&str]| Policy {
            programs: programs.iter().map(|&name| name.to_owned()).collect(),
            sessions: Reach::All,
            read_only: false,
        };
        assert!(policy(&["*"]).allows("/tmp/x"));
        assert!(!policy(&[]).allows("bash"));
        let some = policy(&["python3", "bash", "/opt/tool"]);
        assert!(some.allows("python3") && some.allows("/opt/tool"));
        assert!(!some.allows("./python3") && !some.allows("tool"));
        assert!(some.allows_shell("/bin/bash") && !some.allows_shell("/bin/zsh"));
    }
}
