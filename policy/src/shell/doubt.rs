//! What a line that is not understood is refused for.

/// Why a line is not understood: a clause that completes "the rules cannot be checked: …".
pub type Doubt = String;
