//! Uses that say nothing of a call but a name, or another name: who calls a function must find them all.

use super::repository;

mod default_exports;
mod words;
