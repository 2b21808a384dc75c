//! Enums whose variants each have one name, or one code.

/// Declares such an enum, with `ALL` in the order of the variants, `name`, `by_name`, and `Display` as the name.
macro_rules! named {
    ($(#[$meta:meta])* $vis:vis enum $type:ident {
        $($(#[$doc:meta])* $variant:ident = $name:literal,)+
    }) => {
        $(#[$meta])*
        $vis enum $type {
            $($(#[$doc])* $variant,)+
        }

        #[allow(dead_code, reason = "not every enum is both listed and named")]
        impl $type {
            /// All of them, in order.
            $vis const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// The word for it.
            $vis const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// The one of this name.
            $vis fn by_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|it| it.name() == name)
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

/// Declares an enum whose variants may have fields, with `code`: a stable name of each for logs, counters and machines.
///
/// The codes of variants without one of their own are in a `match` behind the enum.
macro_rules! coded {
    ($(#[$meta:meta])* $vis:vis enum $type:ident {
        $(
            $(#[$doc:meta])*
            $variant:ident
            $(($($(#[$part_doc:meta])* $part:ty),+))?
            $({ $($(#[$field_doc:meta])* $field:ident: $kind:ty,)+ })?
            $(= $code:literal)?,
        )+
    } $(match { $($others:pat => $other:expr,)+ })?) => {
        $(#[$meta])*
        $vis enum $type {
            $(
                $(#[$doc])*
                $variant $(($($(#[$part_doc])* $part),+))? $({ $($(#[$field_doc])* $field: $kind,)+ })?,
            )+
        }

        impl $type {
            /// A stable name for logs, counters and machines.
            $vis fn code(&self) -> &'static str {
                match self {
                    $($($others => $other,)+)?
                    $($(Self::$variant { .. } => $code,)?)+
                }
            }
        }
    };
}

pub(crate) use {coded, named};
