//! Uses that say nothing of a call but a name, or another name: who calls a function must find them all.

use super::repository;

mod bare;
mod default_exports;
mod extensions;
mod words;
