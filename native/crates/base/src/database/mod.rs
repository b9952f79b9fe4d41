//! Opens databases: connections whose errors name the file, and numbered formats with migrations.

mod connection;
mod file_key;
mod schema;

pub use connection::Database;
pub use file_key::FileKey;
pub use schema::{Format, Schema, identity};
