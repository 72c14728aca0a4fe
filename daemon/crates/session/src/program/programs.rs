//! The program configurations of the base folder.

use super::error::{Mistake, ProgramError};
use super::read::CheckedProgram;
use super::script::{Script, ScriptRequest};
use super::secrets::redact_sample;
use ccd_protocol::SessionId;
use ccd_protocol::program::{ProgramConfig, ProgramSaveReply, ProgramSummary};
use ccd_store::blocking;
use ccd_store::documents::Documents;
use std::path::Path;

/// The files `programs/{name}.json`, which may also be written by hand.
#[derive(Debug)]
pub struct Programs {
    documents: Documents,
    /// Held while a configuration is saved, so that two requests cannot both find its name unused.
    saving: tokio::sync::Mutex<()>,
}

impl Programs {
    pub fn new(base: &Path) -> Self {
        Self {
            documents: Documents::new(base.join("programs")),
            saving: tokio::sync::Mutex::default(),
        }
    }

    /// Returns all configurations by name; one that cannot be used contains the reason.
    pub async fn list(&self) -> Result<Vec<ProgramSummary>, ProgramError> {
        let mut programs = Vec::new();
        for name in self.documents.names().await? {
            match self.get(&name).await {
                Ok(config) => programs.push(summary(config).await),
                Err(ProgramError::NotFound(_)) => {} // deleted meanwhile
                Err(error) => programs.push(unreadable(&name, error.to_string())),
            }
        }
        Ok(programs)
    }

    pub async fn get(&self, name: &SessionId) -> Result<ProgramConfig, ProgramError> {
        let found = self.documents.get::<ProgramConfig>(name).await?;
        let config = found.ok_or_else(|| ProgramError::NotFound(name.clone()))?;
        // The file name takes precedence over the name in the file.
        Ok(ProgramConfig {
            name: name.to_string(),
            ..config
        })
    }

    /// Saves a configuration; with `force`, replaces an existing one of the same name.
    pub async fn save(
        &self,
        name: &SessionId,
        config: ProgramConfig,
        force: bool,
    ) -> Result<ProgramSaveReply, ProgramError> {
        let mut config = ProgramConfig {
            name: name.to_string(),
            ..config
        };
        let masked = redact_sample(&mut config);
        let (config, program) = read(config).await;
        let program = program.map_err(|mistake| mistaken(name, mistake))?;
        let _turn = self.saving.lock().await;
        let replaced = self.documents.exists(name).await?;
        if replaced && !force {
            return Err(ProgramError::Exists(name.clone()));
        }
        self.documents.save(name, config.clone()).await?;
        let of_sample =
            (masked > 0).then(|| format!("sample_output: {masked} secrets were masked"));
        let warnings = program.doubts().into_iter().chain(of_sample);
        Ok(ProgramSaveReply {
            config,
            replaced,
            path: self.documents.path(name).to_string_lossy().into_owned(),
            warnings: warnings.collect(),
        })
    }

    pub async fn delete(&self, name: &SessionId) -> Result<(), ProgramError> {
        if self.documents.delete(name).await? {
            Ok(())
        } else {
            Err(ProgramError::NotFound(name.clone()))
        }
    }

    pub async fn script(&self, wanted: ScriptRequest<'_>) -> Result<Script, ProgramError> {
        let (_, program) = read(self.get(wanted.name).await?).await;
        let program = program.map_err(|mistake| mistaken(wanted.name, mistake))?;
        Script::new(&program, wanted)
    }
}

fn mistaken(name: &SessionId, mistake: Mistake) -> ProgramError {
    let name = name.clone();
    ProgramError::Mistaken { name, mistake }
}

/// Checks a configuration on a blocking thread, so that other requests are not delayed.
async fn read(config: ProgramConfig) -> (ProgramConfig, Result<CheckedProgram, Mistake>) {
    blocking(move || {
        let program = CheckedProgram::read(&config);
        (config, program)
    })
    .await
}

async fn summary(config: ProgramConfig) -> ProgramSummary {
    let (config, program) = read(config).await;
    let (placeholders, secrets, error) = match program {
        Ok(program) => {
            let (of_command, of_steps) = program.placeholders();
            let placeholders = (&of_command | &of_steps).into_iter().collect();
            (placeholders, program.secrets().into_iter().collect(), None)
        }
        Err(mistake) => (Vec::new(), Vec::new(), Some(mistake.to_string())),
    };
    ProgramSummary {
        name: config.name,
        command_template: config.command_template,
        typical_timeout: config.typical_timeout,
        steps: config.expect_sequences.len(),
        placeholders,
        secrets,
        notes: config.notes,
        error,
    }
}

fn unreadable(name: &SessionId, error: String) -> ProgramSummary {
    ProgramSummary {
        name: name.to_string(),
        command_template: String::new(),
        typical_timeout: None,
        steps: 0,
        placeholders: Vec::new(),
        secrets: Vec::new(),
        notes: None,
        error: Some(error),
    }
}
