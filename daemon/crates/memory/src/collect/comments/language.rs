//! How comments and strings are written, by the name of a file.

/// The marks of a language.
#[derive(Debug)]
pub(super) struct Language {
    pub(super) line: &'static [&'static str],
    pub(super) block: &'static [(&'static str, &'static str)],
    pub(super) strings: &'static [Quote],
}

/// How a string starts and ends.
#[derive(Debug)]
pub(super) struct Quote {
    pub(super) open: &'static str,
    pub(super) close: &'static str,
    /// The string may go on in the next line.
    pub(super) is_long: bool,
    pub(super) has_escapes: bool,
}

const fn quote(mark: &'static str, is_long: bool) -> Quote {
    Quote {
        open: mark,
        close: mark,
        is_long,
        has_escapes: true,
    }
}

const C: Language = Language {
    line: &["//"],
    block: &[("/*", "*/")],
    strings: &[quote("\"", false), quote("'", false)],
};
pub(super) const SCRIPT: Language = Language {
    strings: &[quote("\"", false), quote("'", false), quote("`", true)],
    ..C
};
// A lone quote is a lifetime, so characters are no strings here.
const RUST: Language = Language {
    strings: &[
        Quote {
            open: "r##\"",
            close: "\"##",
            is_long: true,
            has_escapes: false,
        },
        Quote {
            open: "r#\"",
            close: "\"#",
            is_long: true,
            has_escapes: false,
        },
        quote("\"", true),
    ],
    ..C
};
const GO: Language = Language {
    strings: &[
        quote("\"", false),
        quote("'", false),
        Quote {
            open: "`",
            close: "`",
            is_long: true,
            has_escapes: false,
        },
    ],
    ..C
};
const PHP: Language = Language {
    line: &["//", "#"],
    ..C
};
const PYTHON: Language = Language {
    line: &["#"],
    block: &[],
    strings: &[
        quote("\"\"\"", true),
        quote("'''", true),
        quote("\"", false),
        quote("'", false),
    ],
};
const SHELL: Language = Language {
    line: &["#"],
    block: &[],
    strings: &[
        quote("\"", true),
        Quote {
            open: "'",
            close: "'",
            is_long: true,
            has_escapes: false,
        },
    ],
};
// Quotes in these are often apostrophes.
const HASH: Language = Language {
    line: &["#"],
    block: &[],
    strings: &[],
};
const SQL: Language = Language {
    line: &["--"],
    block: &[("/*", "*/")],
    strings: &[quote("'", true), quote("\"", true)],
};
// A quote is also a prime of a name.
const HASKELL: Language = Language {
    line: &["--"],
    block: &[("{-", "-}")],
    strings: &[quote("\"", false)],
};
const ML: Language = Language {
    line: &["//"],
    block: &[("(*", "*)")],
    strings: &[quote("\"", true)],
};
const TERRAFORM: Language = Language {
    line: &["#", "//"],
    block: &[("/*", "*/")],
    strings: &[quote("\"", false)],
};
const POWERSHELL: Language = Language {
    line: &["#"],
    block: &[("<#", "#>")],
    strings: SHELL.strings,
};
const ERLANG: Language = Language {
    line: &["%"],
    block: &[],
    strings: &[quote("\"", true)],
};
const LUA: Language = Language {
    line: &["--"],
    block: &[("--[[", "]]")],
    strings: &[quote("\"", false), quote("'", false)],
};
const LISP: Language = Language {
    line: &[";"],
    block: &[("#|", "|#")],
    strings: &[quote("\"", true)],
};
const MARKUP: Language = Language {
    line: &[],
    block: &[("<!--", "-->")],
    strings: &[],
};
const PAGE: Language = Language {
    line: &["//"],
    block: &[("<!--", "-->"), ("/*", "*/")],
    strings: SCRIPT.strings,
};
const STYLE: Language = Language {
    line: &[],
    block: &[("/*", "*/")],
    strings: &[quote("\"", false)],
};

/// Returns the language of a file; nothing for files that are not code.
pub(super) fn language(name: &str) -> Option<&'static Language> {
    let extension = match name {
        "Makefile" | "makefile" | "GNUmakefile" | "Dockerfile" | "Justfile" | "justfile" => "mk",
        "Gemfile" | "Rakefile" | "Vagrantfile" => "rb",
        name => name.rsplit_once('.')?.1,
    };
    // Programs in R are `.R` files.
    Some(match &*extension.to_lowercase() {
        "ts" | "tsx" | "js" | "jsx" | "mjs" | "cjs" | "mts" | "cts" => &SCRIPT,
        "vue" | "svelte" | "astro" => &PAGE,
        "rs" => &RUST,
        "go" => &GO,
        "c" | "h" | "cc" | "cpp" | "cxx" | "hpp" | "hh" | "m" | "mm" | "java" | "kt" | "kts"
        | "scala" | "swift" | "cs" | "dart" | "groovy" | "gradle" | "proto" | "zig" | "scss"
        | "less" | "sol" => &C,
        "php" => &PHP,
        "py" | "pyi" => &PYTHON,
        "sh" | "bash" | "zsh" | "fish" | "rb" | "pl" | "pm" => &SHELL,
        "mk" | "cmake" | "yml" | "yaml" | "toml" | "r" | "jl" | "ex" | "exs" | "nix" => &HASH,
        "sql" => &SQL,
        "hs" | "elm" => &HASKELL,
        "ml" | "mli" | "fs" | "fsx" => &ML,
        "tf" | "tfvars" | "hcl" => &TERRAFORM,
        "ps1" | "psm1" => &POWERSHELL,
        "erl" | "hrl" => &ERLANG,
        "lua" => &LUA,
        "clj" | "cljs" | "el" | "lisp" | "scm" => &LISP,
        "html" | "htm" | "xml" => &MARKUP,
        "css" => &STYLE,
        _ => return None,
    })
}
