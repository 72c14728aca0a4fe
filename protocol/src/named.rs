//! Enums whose values have names.

/// Declares an enum whose values are written as their names, on the wire and elsewhere.
macro_rules! named {
    ($(#[$about:meta])* $type:ident { $($(#[$about_one:meta])* $one:ident = $name:literal,)* }) => {
        $(#[$about])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
        )]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        pub enum $type {
            $($(#[$about_one])* #[serde(rename = $name)] $one,)*
        }

        impl $type {
            /// All of them, in this order.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$one),*];

            /// The name on the wire.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$one => $name,)* }
            }

            /// The value with this name, in upper or lower case.
            #[must_use]
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.name().eq_ignore_ascii_case(name))
            }
        }
    };
}
pub(crate) use named;
