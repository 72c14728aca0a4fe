//! `memory.*`.

use super::{Failure, Module, RpcResult, invalid, require_absolute};
use crate::memory::{Load, Memories};
use ccd_memory::{MEMORY_FILE, MemoryError, VERIFY_LIMIT};
use ccd_protocol::memory::{
    MemoryGet, MemoryGetReply, MemoryLink, MemoryLinkReply, MemoryLoad, MemorySave, MemoryStatus,
    MemoryStatusReply, MemoryValidate, MemoryValidateParams, MemoryValidateReply,
};
use ccd_store::blocking;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long `memory.get` waits for what was done last.
const RECENT_LIMIT: Duration = Duration::from_secs(5);

/// Of a file that is checked: a memory is much shorter.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

pub(super) fn register(module: &mut Module) {
    module.add::<MemorySave, _, Failure>(async |daemon, _, params| {
        let project = project(&params.project)?;
        Ok(daemon.memories.save(project, params.memory).await?)
    });
    module.add::<MemoryGet, _, Failure>(async |daemon, _, params| {
        let project = project(&params.project)?;
        let root = project.clone();
        let parsed = blocking(move || ccd_memory::read(&project)).await?;
        let deadline = Instant::now() + RECENT_LIMIT;
        let (recent, _) = daemon.memories.recent(&root, deadline).await;
        Ok(MemoryGetReply {
            memory: parsed.memory,
            provenance: parsed.notes.provenance,
            warnings: [parsed.notes.warnings, parsed.warnings].concat(),
            recent,
        })
    });
    module.add::<MemoryLoad, _, Failure>(async |daemon, _, params| {
        let load = Load {
            project: project(&params.project)?,
            max_chars: daemon.loaded().config.memory.digest_chars,
            is_short: params.short,
            deadline: Instant::now() + VERIFY_LIMIT,
        };
        let root = load.project.clone();
        let parsed = blocking(move || ccd_memory::read(&root)).await?;
        Ok(load.carry_out(&daemon.memories, parsed).await?)
    });
    module.add::<MemoryLink, _, Failure>(async |_, _, params| {
        let project = project(&params.project)?;
        let link = blocking(move || ccd_memory::link(&project, params.write)).await?;
        Ok(MemoryLinkReply {
            file: link.file.to_string_lossy().into_owned(),
            diff: link.diff,
            written: link.written,
        })
    });
    module.add::<MemoryStatus, _, Failure>(async |daemon, _, params| {
        let project = project(&params.project)?;
        Ok(status(&daemon.memories, project).await?)
    });
    module
        .add::<MemoryValidate, _, _>(async |_, _, params| blocking(move || validate(params)).await);
}

fn project(path: &str) -> RpcResult<PathBuf> {
    require_absolute("project", path)?;
    Ok(path.into())
}

async fn status(memories: &Memories, project: PathBuf) -> Result<MemoryStatusReply, MemoryError> {
    let root = project.clone();
    let parsed = blocking(move || ccd_memory::read(&root)).await?;
    let path = project.join(MEMORY_FILE).to_string_lossy().into_owned();
    if parsed.is_empty {
        return Ok(MemoryStatusReply {
            changes: vec![format!("{path} is empty; ccctl memory save fills it")],
            generated_at: parsed.memory.metadata.generated_at,
            path,
            ..MemoryStatusReply::default()
        });
    }
    let generated_at = parsed.memory.metadata.generated_at.clone();
    let deadline = Instant::now() + VERIFY_LIMIT;
    let verified = memories.verify(project, parsed, deadline).await?;
    let changed = verified.checks.into_iter().filter(|check| !check.holds);
    Ok(MemoryStatusReply {
        path,
        age_s: ccd_base::clock::age_s(&generated_at),
        generated_at,
        changes: changed.map(|check| check.fact).collect(),
        has_data: true,
    })
}

fn validate(params: MemoryValidateParams) -> RpcResult<MemoryValidateReply> {
    let content = match (params.content, params.path) {
        (Some(content), None) => content,
        (None, Some(path)) => {
            require_absolute("path", &path)?;
            read(path.into())?
        }
        _ => return Err(invalid("give either path or content").into()),
    };
    Ok(ccd_memory::validate_text(&content))
}

fn read(path: PathBuf) -> RpcResult<String> {
    let mut content = Vec::new();
    let mut read = || {
        // Opening a named pipe would wait for a writer.
        if !path.metadata()?.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        let file = File::open(&path)?;
        file.take(MAX_FILE_BYTES).read_to_end(&mut content)
    };
    read().map_err(|source| MemoryError::NotReadable {
        path: path.clone(),
        source,
    })?;
    Ok(String::from_utf8_lossy(&content).into_owned())
}
