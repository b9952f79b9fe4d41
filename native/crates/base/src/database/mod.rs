//! What every database of ours stands on: a connection whose failures name the file, and numbered formats.

mod connection;
mod file_key;
mod schema;

pub use connection::Database;
pub use file_key::FileKey;
pub use schema::{Format, Schema, identity};
