//! What builds of the daemon must have in common to take over each other's sessions.

use crate::store::SCHEMA;
use ccd_terminal::holder;
use serde::{Deserialize, Serialize};

/// The formats of a build, as `ccd --formats` prints them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Formats {
    pub(crate) version: String,
    holder: u32,
    ring: u32,
    /// The newest version of the database that it knows.
    database: i64,
}

impl Formats {
    pub(crate) fn own() -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").into(),
            holder: holder::WIRE_VERSION,
            ring: holder::RING_VERSION,
            database: SCHEMA.newest(),
        }
    }

    /// Returns why `other` cannot take over the sessions of this build; `None` if it can.
    #[cfg(any(not(portable), test))]
    pub(crate) fn obstacle(&self, other: &Self) -> Option<String> {
        let differs = |what: &str, ours: u32, theirs: u32| {
            (ours != theirs)
                .then(|| format!("its {what} has version {theirs}, but this build has {ours}"))
        };
        differs("protocol with the holder", self.holder, other.holder)
            .or_else(|| differs("ring file", self.ring, other.ring))
            .or_else(|| {
                (other.database < self.database).then(|| {
                    format!(
                        "it supports the database up to schema {}, but the database has schema {}",
                        other.database, self.database
                    )
                })
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_goes_on_with_its_own_sessions_and_those_of_an_older_database() {
        let own = Formats::own();
        assert_eq!(own.obstacle(&own), None);
        let newer = Formats {
            database: own.database + 1,
            ..own.clone()
        };
        assert_eq!(own.obstacle(&newer), None);
        assert!(newer.obstacle(&own).unwrap().contains("schema"));
        let other = Formats {
            ring: own.ring + 1,
            ..own.clone()
        };
        assert!(own.obstacle(&other).unwrap().contains("ring file"));
    }
}
