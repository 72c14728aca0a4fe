//! The parameters of a run, from the command line.

use crate::args::Given;
use crate::fields::Fields as _;
use crate::verb::file::read_text;
use crate::{Failure, caller};
use ccd_protocol::exec::{ExecRunParams, OutputFormat};
use serde_json::json;
use std::path::Path;

/// The format of standard output. `--json` means JSON, unless lines of JSON are asked for.
pub(super) fn format_of(args: &Given, is_json: bool) -> OutputFormat {
    match args.typed("output_format") {
        Some(OutputFormat::StreamJson) => OutputFormat::StreamJson,
        _ if is_json => OutputFormat::Json,
        given => given.unwrap_or_default(),
    }
}

/// Returns the parameters of `exec.run`. Values are checked by the daemon.
pub(super) fn params_of(
    args: &Given,
    output_format: OutputFormat,
    verbose: bool,
) -> Result<ExecRunParams, Failure> {
    let mut params = args.pick(
        "timeout model max_turns permission_mode lock_timeout stall_timeout worktree allowed_tools disallowed_tools \
         resume_session_id continue_last dirty_worktree",
    );
    params["instruction"] = instruction(args)?.into();
    params["output_format"] = json!(output_format);
    params["verbose"] = verbose.into();
    params["repo_path"] = caller::working_directory(args.word("repo_path"))?.into();
    // Tapes that answer in place of Claude Code. If any option is given, tapes are used.
    let tape = args.pick("root record fallback latency");
    params["tape"] = tape.has(".").then_some(tape).into();
    Ok(ExecRunParams {
        inherited: caller::inherited(false)?,
        ..caller::params(&params)?
    })
}

fn instruction(args: &Given) -> Result<String, Failure> {
    let file = match (args.path("file"), args.text("instruction")) {
        (Some(file), _) => file,
        (None, "-") => Path::new("-"),
        (None, instruction) => return Ok(instruction.to_owned()),
    };
    // A file that cannot be read is a wrong argument.
    read_text(file).map_err(|failure| Failure::Usage(failure.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Exit;
    use crate::args::parsed;

    #[test]
    fn lines_of_json_are_json_too() {
        use OutputFormat::{Json, StreamJson, Text};
        for (line, is_json, format) in [
            ("x", false, Text),
            ("x", true, Json),
            ("--output-format JSON x", false, Json),
            ("--output-format stream-json x", true, StreamJson),
        ] {
            let args = parsed(&format!("exec {line}")).unwrap();
            assert_eq!(format_of(&args, is_json), format);
        }
    }

    #[test]
    fn an_instruction_in_a_file_arrives_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("task.md");
        std::fs::write(&file, "- \"a\"\n\u{1f389}\n").unwrap();
        let of =
            |file: &Path| instruction(&parsed(&format!("exec -f {}", file.display())).unwrap());
        assert_eq!(of(&file).unwrap(), "- \"a\"\n\u{1f389}\n");
        std::fs::write(&file, b"\xff").unwrap();
        assert_eq!(of(&file).unwrap_err().exit(), Exit::Usage);
        let missing = of(&folder.path().join("none"));
        assert_eq!(missing.unwrap_err().exit(), Exit::Usage);
    }
}
