//! Durable state. `SQLite` is the only truth; segments are derived from it and may be deleted at any time.

mod mapped;

pub use mapped::MappedFile;
