//! The parameters of a run, from the command line.

use crate::args::{ExecRunArgs, ToolList, params};
use crate::verb::file::read_text;
use crate::{Failure, caller};
use ccd_protocol::exec::{ExecRunParams, OutputFormat};
use std::path::Path;

/// The format of standard output. `--json` means JSON, unless lines of JSON are asked for.
pub(super) fn format_of(args: &ExecRunArgs, is_json: bool) -> OutputFormat {
    match args.output_format {
        Some(OutputFormat::StreamJson) => OutputFormat::StreamJson,
        _ if is_json => OutputFormat::Json,
        given => given.unwrap_or_default(),
    }
}

/// Returns the parameters of `exec.run`. Values are checked by the daemon.
pub(super) fn params_of(
    args: &ExecRunArgs,
    output_format: OutputFormat,
    verbose: bool,
) -> Result<ExecRunParams, Failure> {
    let list =
        |list: &Option<ToolList>| list.as_ref().map(|list| list.0.clone()).unwrap_or_default();
    Ok(params!(ExecRunParams {
        continue_last, timeout, model, max_turns, permission_mode, lock_timeout, stall_timeout, worktree
    } of args,
        instruction: instruction(args)?,
        output_format,
        allowed_tools: list(&args.allowed_tools),
        disallowed_tools: list(&args.disallowed_tools),
        resume_session_id: args.resume.clone(),
        verbose,
        dirty_worktree: args.dirty_worktree.unwrap_or_default(),
        repo_path: caller::working_directory(args.repo_path.as_deref())?,
        tape: args
            .tape
            .options(caller::given_path(args.tape.tapes.as_deref())?),
        inherited: caller::inherited(false)?,
    ))
}

fn instruction(args: &ExecRunArgs) -> Result<String, Failure> {
    let file = match (&args.file, args.instruction.as_deref()) {
        (Some(file), _) => file.as_path(),
        (None, Some("-")) => Path::new("-"),
        (None, instruction) => return Ok(instruction.unwrap_or_default().to_owned()),
    };
    // A file that cannot be read is a wrong argument.
    read_text(file).map_err(|failure| Failure::Usage(failure.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Exit;

    #[test]
    fn lines_of_json_are_json_too() {
        use OutputFormat::{Json, StreamJson, Text};
        for (output_format, is_json, format) in [
            (None, false, Text),
            (None, true, Json),
            (Some(Json), false, Json),
            (Some(StreamJson), true, StreamJson),
        ] {
            let args = ExecRunArgs {
                output_format,
                ..ExecRunArgs::default()
            };
            assert_eq!(format_of(&args, is_json), format);
        }
    }

    #[test]
    fn an_instruction_in_a_file_arrives_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("task.md");
        std::fs::write(&file, "- \"a\"\n\u{1f389}\n").unwrap();
        let mut args = ExecRunArgs {
            file: Some(file.clone()),
            ..ExecRunArgs::default()
        };
        assert_eq!(instruction(&args).unwrap(), "- \"a\"\n\u{1f389}\n");
        std::fs::write(&file, b"\xff").unwrap();
        assert_eq!(instruction(&args).unwrap_err().exit(), Exit::Usage);
        args.file = Some(folder.path().join("none"));
        assert_eq!(instruction(&args).unwrap_err().exit(), Exit::Usage);
    }
}
