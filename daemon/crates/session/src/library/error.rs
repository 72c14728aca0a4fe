//! Errors of requests to the pattern library.

use ccd_protocol::pattern::PatternType;
use ccd_protocol::{ErrorCode, ErrorData, Reportable};
use ccd_store::documents::DocumentError;
use ccd_text::pattern::EntryError;

#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    #[error(transparent)]
    Entry(#[from] EntryError),
    #[error("no {} patterns were set for the category {category:?}{}", .pattern_type.name(), because(*.is_built_in))]
    NotFound {
        pattern_type: PatternType,
        category: String,
        is_built_in: bool,
    },
    #[error("{0}{advice}", advice = advice(.0))]
    Document(#[from] DocumentError),
}

impl Reportable for LibraryError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Entry(error) => error.code(),
            Self::NotFound { .. } => ErrorCode::PatternNotFound,
            Self::Document(error) => error.code(),
        }
    }

    fn hint(&self) -> Option<&str> {
        matches!(self, Self::NotFound { .. })
            .then_some("pattern.list lists the built-in patterns and those that were set")
    }

    fn data(&self) -> ErrorData {
        match self {
            Self::Entry(error) => error.data(),
            _ => ErrorData::new(),
        }
    }
}

/// Returns advice about a file that cannot be read or written.
fn advice(error: &DocumentError) -> String {
    match error {
        DocumentError::Shape { .. } => {
            "; correct or remove the file first, so that nothing in it is lost".to_owned()
        }
        DocumentError::Read { .. } => {
            "; make the file readable or remove it first, so that nothing in it is lost".to_owned()
        }
        DocumentError::Write { path, .. } => match path.parent() {
            Some(folder) => format!(
                "; check that new files can be created in {}",
                folder.display()
            ),
            None => String::new(),
        },
        DocumentError::TooLarge { .. } | DocumentError::Full { .. } => String::new(),
    }
}

fn because(is_built_in: bool) -> &'static str {
    if is_built_in {
        ": the ones in use are built in"
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[test]
    fn what_can_be_done_depends_on_what_is_wrong() {
        let path = || "/home/x/patterns.json".into();
        let denied = || io::Error::from(io::ErrorKind::PermissionDenied);
        let write = DocumentError::Write {
            path: path(),
            source: denied(),
        };
        assert_eq!(
            LibraryError::from(write).to_string(),
            "/home/x/patterns.json cannot be written: permission denied; check that new files can be created in /home/x"
        );
        let read = DocumentError::Read {
            path: path(),
            source: denied(),
        };
        let text = LibraryError::from(read).to_string();
        assert!(text.contains("make the file readable"), "{text}");
    }
}
