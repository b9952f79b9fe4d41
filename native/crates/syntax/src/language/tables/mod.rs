//! Joins the tables of languages, which are in files by family.

mod build;
mod config;
mod data;
mod functional;
mod legacy;
mod managed;
mod prose;
mod row;
mod schema;
mod scripting;
mod shader;
mod systems;
mod web;

use super::definition::{Class, Language};

const FAMILIES: [&[Language]; 12] = [
    systems::LANGUAGES,
    managed::LANGUAGES,
    scripting::LANGUAGES,
    functional::LANGUAGES,
    web::LANGUAGES,
    shader::LANGUAGES,
    legacy::LANGUAGES,
    schema::LANGUAGES,
    build::LANGUAGES,
    config::LANGUAGES,
    data::LANGUAGES,
    prose::LANGUAGES,
];

const COUNT: usize = {
    let mut count = 0;
    let mut family = 0;
    while family < FAMILIES.len() {
        count += FAMILIES[family].len();
        family += 1;
    }
    count
};

/// All families, one after the other.
pub(super) static ALL: &[Language] = &{
    let mut languages = [const { Language::new("", "", Class::Prose, &[]) }; COUNT];
    let mut next = 0;
    let mut family = 0;
    while family < FAMILIES.len() {
        let mut row = 0;
        while row < FAMILIES[family].len() {
            languages[next] = FAMILIES[family][row];
            next += 1;
            row += 1;
        }
        family += 1;
    }
    languages
};

/// The row of plain text, which is the first of the last family.
pub(super) static TEXT: &Language = &ALL[COUNT - prose::LANGUAGES.len()];
