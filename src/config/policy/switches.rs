//! The switches that a policy can hold in a position.

use crate::config::Settings;

/// A switch, by its name in a policy. Moving it returns whether it stood otherwise.
type Switch = (&'static str, fn(&mut Settings) -> bool);

/// The settings that a policy can turn off.
pub(super) const OFF: &[Switch] = &[
    ("record", |it| std::mem::take(&mut it.record)),
    ("speculate", |it| std::mem::take(&mut it.speculate)),
    ("next_edit", |it| {
        let languages = it.languages.values_mut().filter_map(|it| it.next_edit.as_mut());
        languages.map(std::mem::take).fold(std::mem::take(&mut it.next_edit), |was, own| was | own)
    }),
    ("background_fixes", |it| std::mem::take(&mut it.background_fixes)),
    ("model_fixes_on_save", |it| !std::mem::take(&mut it.model_fixes_on_save).is_empty()),
    ("allow_invisible_characters", |it| std::mem::take(&mut it.allow_invisible_characters)),
    ("canary", |it| it.canary.take().is_some()),
    ("verify", |it| it.verify.take().is_some()),
    ("verify.network", |it| it.verify.as_mut().is_some_and(|it| std::mem::take(&mut it.network))),
    ("verify.without_asking", |it| {
        it.verify.as_mut().is_some_and(|it| !std::mem::take(&mut it.without_asking).is_empty())
    }),
    ("privacy.allow", |it| {
        let allowed = std::mem::take(&mut it.privacy.allow);
        it.privacy.path_rules = it.privacy.path_rules.allowing_none();
        !allowed.is_empty()
    }),
];

/// The settings that a policy can turn on.
pub(super) const ON: &[Switch] = &[
    ("privacy.redact", |it| !std::mem::replace(&mut it.privacy.redact, true)),
    ("verify.sandbox", |it| it.verify.as_mut().is_some_and(|it| !std::mem::replace(&mut it.sandbox, true))),
];
