//! Constructs rows, with one function for each class of file.

use crate::language::definition::Class;
pub(super) use crate::language::definition::Language;

/// A row of source code.
pub(super) const fn code(id: &'static str, name: &'static str, extensions: &'static [&'static str]) -> Language {
    Language::new(id, name, Class::Code, extensions)
}

/// A row of settings and build descriptions.
pub(super) const fn settings(id: &'static str, name: &'static str, extensions: &'static [&'static str]) -> Language {
    Language::new(id, name, Class::Config, extensions)
}

/// A row of text for people.
pub(super) const fn text(id: &'static str, name: &'static str, extensions: &'static [&'static str]) -> Language {
    Language::new(id, name, Class::Prose, extensions)
}

/// A row of data.
pub(super) const fn values(id: &'static str, name: &'static str, extensions: &'static [&'static str]) -> Language {
    Language::new(id, name, Class::Data, extensions)
}
