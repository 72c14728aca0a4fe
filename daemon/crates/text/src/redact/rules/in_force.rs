//! The rules that redact now: the built-in ones and the user's.

use super::builtin::builtin;
use super::user::UserRules;
use crate::redact::engine::{Anchors, Redactor};
use parking_lot::RwLock;
use std::sync::{Arc, LazyLock};

static BUILTIN: LazyLock<Anchors> = LazyLock::new(|| Anchors::new(builtin()));

static IN_FORCE: LazyLock<RwLock<Arc<Redactor>>> =
    LazyLock::new(|| RwLock::new(Arc::new(UserRules::default().with_builtin())));

pub(in crate::redact) fn in_force() -> Arc<Redactor> {
    Arc::clone(&IN_FORCE.read())
}

impl UserRules {
    /// Replaces the user's rules that were in force before. The built-in rules always apply.
    pub fn put_in_force(self) {
        let redactor = Arc::new(self.with_builtin());
        *IN_FORCE.write() = redactor;
    }

    /// Returns the user's rules that are in force as one text. What was compared under other rules must be compared
    /// again.
    pub fn in_force() -> String {
        in_force().patterns().source()
    }

    fn with_builtin(self) -> Redactor {
        Redactor::new(&BUILTIN, self.0)
    }
}
