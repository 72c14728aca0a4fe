//! The built-in patterns.
//! Patterns describe what to find, rather than exclude everything else: `0 errors`, `error-free` and `no such error`
//! match none of them. Classes are those of ASCII, which makes the automata small.

use ccd_protocol::pattern::PatternType;
use ccd_protocol::pattern::PatternType::{DataFormat, Error, Help, Prompt, State};

pub(super) struct BuiltIn {
    pub(super) pattern_type: PatternType,
    pub(super) category: &'static str,
    pub(super) patterns: &'static [&'static str],
    pub(super) description: &'static str,
}

/// The category of type help whose patterns are lines of a help text, and not significant alone.
pub(super) const HELP_LINES: &str = "lines";

/// The category of type error whose patterns count failures, which is not significant in a help text.
pub(super) const ERROR_SUMMARY: &str = "summary";

/// The category of type help whose patterns say where to find help, which is not help itself.
pub(super) const HELP_HINTS: &str = "hints";

/// The category of type prompt whose patterns identify a prompt only if the program is known to wait for input.
pub(super) const PROMPT_ENDINGS: &str = "endings";

/// All categories; if several match a line in the same way, the first one counts.
pub(super) const BUILT_INS: &[BuiltIn] = &[
    BuiltIn {
        pattern_type: Prompt,
        category: "python",
        patterns: &[
            r"^>>> ?$",
            r"^\.\.\. ?$",
            r"^In \[[0-9]+\]: ?$",
            r"^ *\.\.\.: ?$",
            r"^\((?:[Pp]db|Cmd)\) ?$|^ipdb> ?$",
        ],
        description: "Python, IPython and their debuggers",
    },
    BuiltIn {
        pattern_type: Prompt,
        category: "mysql",
        patterns: &[
            r"^(?:mysql|mariadb|MariaDB \[[^\]]*\]|MySQL .*) ?> ?$",
            "^ {4}['\"`]?-?> $",
        ],
        description: "mysql and mariadb",
    },
    BuiltIn {
        pattern_type: Prompt,
        category: "postgres",
        patterns: &[r#"^[A-Za-z0-9_.@:][A-Za-z0-9_.@:-]*[-=('"*!^$][#>] ?$"#],
        description: "psql, also inside a statement",
    },
    BuiltIn {
        pattern_type: Prompt,
        category: "sqlite",
        patterns: &[r"^sqlite> ?$", r"^ +\.\.\.> ?$"],
        description: "sqlite3",
    },
    BuiltIn {
        pattern_type: Prompt,
        category: "sudo",
        patterns: &[
            r"^\[sudo\] password for [^:]+: ?$",
            r"^\[sudo: [^\]]*\] [Pp]assword: ?$",
        ],
        description: "sudo asks for a password",
    },
    BuiltIn {
        pattern_type: Prompt,
        category: "git",
        patterns: &[r"^Username for '[^']*': ?$", r"^Password for '[^']*': ?$"],
        description: "git asks for credentials",
    },
    BuiltIn {
        pattern_type: Prompt,
        category: "ssh",
        patterns: &[
            r"(?i)\bpassword(?: for [^:]{1,100})?: *$",
            r"(?i)\bpassphrase(?: [^:]{0,200})?: *$",
            r"\(yes/no(?:/\[fingerprint\])?\)\? *$",
            r"^Please type 'yes', 'no'[^:]*: *$",
        ],
        description: "A password, a passphrase, or the question whether a host is known",
    },
    BuiltIn {
        pattern_type: Prompt,
        category: "bash",
        patterns: &[
            "(?:#|(?:^|[^0-9])\\$|[A-Za-z~/][^ ]*\\$)[ \u{a0}]*[ \u{a0}]$",
            r"^(?:\([^()]{1,60}\) ?){0,2}[\[(]?[A-Za-z0-9._-]+@[A-Za-z0-9._-]+[: ][^$#]{0,200}[$#%] *$",
            r"^(?:\([^()]{1,60}\) ?){0,2}[A-Za-z0-9._-]+@[A-Za-z0-9._-]+[: ][~/][^ <>]{0,200}> *$",
            // Without a blank after the sign: the sign alone, or after the name of a shell, a host or a directory.
            r"^[$#%]$",
            r"^[A-Za-z0-9_.@:-]*[a-z~][A-Za-z0-9_.@:-]*\$$",
            r"^[a-z][A-Za-z0-9_.@-]*[a-z]%$",
            r"^[~/][^ <>#$%]{0,200} ?[#$%]$",
        ],
        description: "bash and other shells that end in $, # or %",
    },
    BuiltIn {
        pattern_type: Prompt,
        category: "zsh",
        patterns: &[
            r"^➜ {1,2}[^ ]{1,200}(?: [a-z]{2,4}:\([^()]{0,200}\))?(?: ✗)? *$",
            r"^(?:[~/][^ ]{0,200} )?[❯❱➜»›λ▶]$",
        ],
        description: "Themes of zsh and other shells, without a blank behind the sign",
    },
    BuiltIn {
        pattern_type: Prompt,
        category: "windows",
        patterns: &[
            r#"^(?:PS )?[A-Za-z]:\\[^<>"|?*]{0,200}> *$"#,
            r"^PS [~/][^<>]{0,200}> *$",
        ],
        description: "cmd and PowerShell",
    },
    BuiltIn {
        pattern_type: Prompt,
        category: "node",
        patterns: &[r"^> $", r"^(?:\.\.\.)+ $"],
        description: "node",
    },
    BuiltIn {
        pattern_type: Prompt,
        category: "generic",
        patterns: &[
            "(?:^|[^0-9])%[ \u{a0}]*[ \u{a0}]$",
            "[❯❱➜»›λ→▶][ \u{a0}]*[ \u{a0}]$",
            // Neither an arrow nor text in angle brackets.
            "^(?:[^<]*[^<= -] ?[=-]?)?>{1,3}[ \u{a0}]*[ \u{a0}]$",
            "^ *DB<+[0-9]+>+ *$",
            // Without a blank: one word, which may have a mode or a number in brackets, as on routers.
            r"^>{1,3}$",
            r"^(?:[A-Za-z0-9_~]|\([^()<> ]+\)|\[[^\[\]<> ]+\])(?:(?:[A-Za-z0-9_.@:/~-]|\([^()<> ]+\)|\[[^\[\]<> ]+\])*(?:[A-Za-z0-9_~]|\([^()<> ]+\)|\[[^\[\]<> ]+\]))?>$|^[a-z]+:/>$",
            r"^[A-Za-z0-9_][A-Za-z0-9_.@:-]{0,80}[A-Za-z0-9_)\]](?:\([^() ]{1,40}\))?#$",
            r"^\((?:[A-Za-z]{0,8}dbg?|dlv|rr|byebug)\)$",
            "^[ \t]*(?:\\?-|:|-- ?More ?--(?: ?\\([0-9]+%\\))?|\\(END\\))[ \t]*$",
            // sbcl and its debugger, Mathematica, Coq.
            r"^\* $|^[0-9]+\] $",
            r"^In\[[0-9]+\]:= ?$",
            r"^[A-Za-z_][A-Za-z0-9_']* < $",
            "^[ \t]*\\([%A-Za-z0-9_.-]+\\)[ \u{a0}]*[ \u{a0}]$",
            "(?:^[ \t]*:|[^ \t:][ \t]*:|：|[?？])[ \t\u{a0}]*$",
            "(?i)(?:\\by/n(?:/[qa])?|[(\\[]y(?:es)?/no?(?:/\\[fingerprint\\]|/[qa])?[)\\]])[ \t\u{a0}]*$",
            "(?i)\\b(?:press|hit) .*(?:key|enter|return|space)",
        ],
        description: "A prompt character after a space or a name, a question, a choice, or a key to press",
    },
    BuiltIn {
        pattern_type: Prompt,
        category: PROMPT_ENDINGS,
        patterns: &["[>#$%):?\\]»›→➜▶❯❱λ✗][ \t\u{a0}]*$"],
        description: "How prompts end; counts only if the program is known to be waiting for input",
    },
    BuiltIn {
        pattern_type: Error,
        category: "command_not_found",
        patterns: &[
            r"(?i)\bcommand not found\b",
            r"\bNo such file or directory\b",
            r"(?i)\bis not recognized\b|\bnot recognized as\b",
            r"^[A-Za-z0-9_./ -]+: (?:line )?[0-9]+: [^ ]+: not found$",
        ],
        description: "A program or file does not exist",
    },
    BuiltIn {
        pattern_type: Error,
        category: "permission_denied",
        patterns: &[
            r"(?i)\b(?:permission|access) (?:is |was )?denied\b",
            r"(?i)\boperation not permitted\b",
        ],
        description: "Something is not allowed",
    },
    BuiltIn {
        pattern_type: Error,
        category: "connection_failed",
        patterns: &[
            r"(?i)\bconnection (?:refused|timed out|reset by|aborted)\b|\boperation timed out\b",
            r"(?i)\b(?:could not|couldn't|cannot) resolve\b",
            r"(?i)\bname or service not known\b|\btemporary failure in name resolution\b",
            r"(?i)\b(?:no route to host|network is unreachable|host is down)\b",
        ],
        description: "Another machine cannot be reached",
    },
    BuiltIn {
        pattern_type: Error,
        category: "authentication_failed",
        patterns: &[
            r"(?i)\bauthentication (?:failed|failure)\b",
            r"(?i)\binvalid (?:credentials|password|username|token|api key)\b",
            r"(?i)\blogin (?:incorrect|failed)\b",
            r"(?i)^sorry, try again\.?$",
        ],
        description: "Authentication failed",
    },
    BuiltIn {
        pattern_type: Error,
        category: "generic",
        patterns: &[
            // A label at the start: `fatal: …`, `foo.c:3:5: error: …`, `npm ERR! …`, `[ERROR] …`, `ValueError: …`.
            r"(?i)^[\t ]*(?:[^ \t]+:[\t ]+){0,4}(?:(?:fatal|syntax|internal|runtime|type|parse|system|network|unexpected|unknown|general|build|linker|usage|fatal python) )?(?:error|fatal|panic|critical|failure|exception)(?:\[[A-Za-z0-9_]+\])?(?:[\t ]+[A-Z]{0,8}[0-9]+|[\t ]+\([^)]*\))?[\t ]*[:!]",
            r"(?i)^[\t ]*error (?:response )?from (?:[a-z]+ ){0,3}[a-z]+:",
            r"(?i): (?:syntax|parse) error\b|^curl: \([1-9][0-9]*\) |\breturned error: ?[0-9]",
            r"(?i)^(?:.*: )?exit (?:status|code):? ?[1-9][0-9]*[.)]?$",
            r"(?i)^[\t ]*(?:\[[^\]]*\][\t ]*)*[\[<(](?:error|fatal|panic|critical|err|fail|failed)[\])>]",
            r"^[A-Za-z_][A-Za-z0-9_.]*(?:Error|Exception)(?:: |:?$| \[)",
            r"^(?:E: |[a-z]+ ERR! |[a-z]+: \*\*\* )",
            r"(?:^|[\]|>)] *|[0-9][0-9][:.][0-9][0-9:.,]*(?:Z|[+-][0-9:]+)?[ \t]+)(?:ERROR|FATAL|CRITICAL|PANIC)(?:[ \t:\]|]|$)",
            r#"(?i)\b(?:level|severity|lvl)["']?[=:] ?["']?(?:error|fatal|critical|panic)\b"#,
            // A sentence: it could not, it failed to, it is invalid.
            r"(?i)(?:^|[:;.!(]) ?(?:error[: ]+)?(?:could not|couldn't|cannot|can't|can not|unable to|failed to|failure to) +[a-z]",
            r"(?i)\bfailed with (?:exit |status |error |code )|\b(?:exited|terminated|returned) with (?:exit )?(?:code|status|signal) -?[1-9]",
            r"(?i)\b(?:command|build|compilation|assertion|connection|operation|request|download|upload|job|task|step|installation|transaction|verification|validation|mount|update|install|upgrade|query|import|lookup|test|check) (?:has )?failed\b",
            r"(?i)(?:^|[:(,] ?|\bis an? |\bis )invalid +[a-z]|: invalid$",
            r"(?i)(?:^|: ?)(?:unknown|unrecognized|unrecognised|unsupported|illegal|bad|missing|unexpected|undefined|ambiguous|no such) +(?:arguments?|options?|commands?|subcommands?|flags?|switch|keys?|parameters?|operands?|tokens?|hosts?|types?|file or folder|file|device|process|containers?|images?|services?|tables?|columns?|users?|modules?|packages?|methods?|functions?|variables?|references?|symbols?|identifiers?|names?|instruction|substitution|address|interpreter)\b",
            r"(?i)\bnot found[.!]?$|\bnot found: ",
            r"(?i)\b(?:segmentation fault|core dumped|bus error|stack overflow|out of memory|cannot allocate memory|no space left on device|disk quota exceeded|read-only file system|too many open files|broken pipe|input/output error)\b",
            r"^Traceback \(most recent call last\):|^Exception in thread |^thread '[^']*' .*panicked at |^panic: ",
            r"^(?:test result: )?FAILED(?:[.!]|$|[:=]? *[1-9]| +[^ 0-9=:]|: *[^ 0-9])|^--- FAIL|^(?:not ok [0-9])",
            r"^[\t ]*FAIL(?:$|[: \t] *[A-Za-z_./])",
            r"(?i)\babort(?:ed|ing)?[.!:]?$|^abort(?:ed|ing)?(?:[:.!,(]| by | due )",
        ],
        description: "A line that reports an error by its label or its wording",
    },
    BuiltIn {
        pattern_type: Error,
        category: ERROR_SUMMARY,
        patterns: &[
            // Not the 10 of `0/10 failed` and `0 of 10 failed`.
            r"(?i)(?:^|[^f] |[^ 0-9.,/])[1-9][0-9,]* (?:[a-z]+ )?(?:errors?|failures?|failed)(?:[^A-Za-z=:-]|: *[^ 0-9]|:?$)",
            r"(?i)(?:^|[^0-9.,/])[1-9][0-9,]*(?:/| (?:out )?of )[1-9][0-9,]* (?:[a-z]+ )?(?:errors?|failures?|failed)(?:[^A-Za-z=:-]|: *[^ 0-9]|:?$)",
        ],
        description: "How many things failed; ignored in help texts, which only explain it",
    },
    BuiltIn {
        pattern_type: Help,
        category: "indicators",
        patterns: &[
            r"(?i)^[ \t]*(?:this is .{1,60}\. +)?usage *:",
            r"(?i)^[ \t]*usage *:.*(?:\[|<[a-z]|[ \t]--?[a-z]|\.\.\.)",
            r"(?i)^[ \t]*(?:[a-z]+ ){0,3}(?:commands|subcommands|options|arguments|flags|examples|synopsis|syntax|help menu|usage) *:? *$",
        ],
        description: "A heading or usage line of a help text; one alone is not enough",
    },
    BuiltIn {
        pattern_type: Help,
        category: HELP_HINTS,
        patterns: &[
            r"(?i)\btype .{1,60} for (?:more )?(?:help|information|usage)\b",
            r"(?i)\btype .{1,40} to (?:see|list|show|get|find out)\b",
            r"(?i)\btype .{1,60} for (?:a |the |full )?(?:list|documentation)\b",
            r"(?i)\buse .{1,40} to find out (?:more )?about\b",
            r"(?i)(?:--help\b|-h\b)['\x60]? for (?:more|help|usage)|\b(?:try|see|use|run) .{0,80}--?help\b",
        ],
        description: "Where to find help, as banners and errors also say; one alone is not enough",
    },
    BuiltIn {
        pattern_type: Help,
        category: HELP_LINES,
        patterns: &[
            r"^[ \t]{1,16}(?P<name>[-.\\/:?A-Za-z0-9][^ \t]*(?: [^ \t]+){0,5}?)(?:  +|\t+ *)(?P<description>[^ \t].*)$",
            r"^[ \t]*(?P<name>[-.\\:?A-Za-z0-9_]{1,40}(?: [A-Z\[<][^ ]*){0,4}) +[-–—]{1,2} +(?P<description>[^ \t].*)$",
            r"^[ \t]*(?P<name>[-.\\?A-Za-z0-9_]{1,40}) *: +(?P<description>[^ \t].*)$",
            r"^[ \t]*\[(?P<name>[A-Za-z0-9?_-]{1,30})\] +(?P<description>[^ \t].*)$",
            r"^[ \t]*[•*-] +(?P<name>[-.\\?A-Za-z0-9_]{1,40})(?: *[-–—:] +|  +)(?P<description>[^ \t].*)$",
            // `.name ARGS   text`, `\name for text`, and an option without a text.
            r"^(?P<name>[.:\\/][A-Za-z?!][^ \t]*(?: [^ \t]+){0,5}?)(?:  +|\t+ *)(?P<description>[^ \t].*)$",
            r"^[ \t]*(?:Type: *)?(?P<name>\\[A-Za-z?]+)(?: or .*)? (?:for|to) (?P<description>.*)$",
            r"^[ \t]+(?P<name>--?[A-Za-z0-9][A-Za-z0-9-]*(?:[= ][A-Z<\[][^ ]*)?)[ \t]*$",
        ],
        description: "A command or option and what it does; counts only in a help text",
    },
    BuiltIn {
        pattern_type: DataFormat,
        category: "json",
        patterns: &[r"[{\[]"],
        description: "Where an object or array may start; it must parse and have content",
    },
    BuiltIn {
        pattern_type: DataFormat,
        category: "xml",
        patterns: &[r"^[ \t]*<[A-Za-z_?!]"],
        description: "Where an element may start; every tag in it must be closed",
    },
    BuiltIn {
        pattern_type: DataFormat,
        category: "yaml",
        patterns: &[
            r"^---(?: |$)",
            r#"^ *(?:- +)?(?:[A-Za-z0-9_./$@-]+|"[^"]*"|'[^']*')[ ]?:$"#,
        ],
        description: "Where a document or a nested block may begin; the lines below must fit",
    },
    BuiltIn {
        pattern_type: DataFormat,
        category: "ini",
        patterns: &[r"^[ \t]*\[[^\[\]]+\][ \t]*$"],
        description: "Where a section may begin; the lines below must be settings",
    },
    BuiltIn {
        pattern_type: DataFormat,
        category: "csv",
        patterns: &[r"[,;\t]"],
        description: "Where fields may be separated; several lines must have as many",
    },
    BuiltIn {
        pattern_type: DataFormat,
        category: "table",
        patterns: &[r"[^ \t].*[ |│┃║\t]"],
        description: "Where columns may be; a ruler or several lines must agree on them",
    },
    BuiltIn {
        pattern_type: DataFormat,
        category: "key_value",
        patterns: &[r"^[ \t]*[^ \t:=][^:=]*[:=]"],
        description: "Where a key may stand; several lines in a row must have keys of their own",
    },
    BuiltIn {
        pattern_type: State,
        category: "entering",
        patterns: &[
            r"(?i)^[\t *=>-]*(?:now )?(?:entering|entered) (?:the )?(?P<state>[A-Za-z][A-Za-z0-9_-]*)(?: (?:mode|state|menu|context|shell|submenu))?[ .!]*$",
        ],
        description: "Entering X mode",
    },
    BuiltIn {
        pattern_type: State,
        category: "switched",
        patterns: &[
            r#"(?i)\bswitched to (?:the |a new )?(?:mode |state |branch |context )?['"]?(?P<state>[A-Za-z0-9][A-Za-z0-9_./-]*[A-Za-z0-9_/-]|[A-Za-z0-9])"#,
        ],
        description: "Switched to X",
    },
    BuiltIn {
        pattern_type: State,
        category: "mode",
        patterns: &[r"(?i)^[\t ]*(?:current )?mode *[:=] *(?P<state>[A-Za-z][A-Za-z0-9_-]*)[ .]*$"],
        description: "Mode: X",
    },
    BuiltIn {
        pattern_type: State,
        category: "state",
        patterns: &[
            r"(?i)^[\t ]*(?:current )?state *[:=] *(?P<state>[A-Za-z][A-Za-z0-9_-]*)[ .]*$",
        ],
        description: "State: X",
    },
];
