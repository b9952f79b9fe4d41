//! What every database of ours stands on: a connection whose failures name the file, and numbered formats.

mod connection;
mod file_key;
mod schema;

pub(crate) use connection::Database;
pub(crate) use file_key::FileKey;
pub(crate) use schema::{Format, Schema, identity};
