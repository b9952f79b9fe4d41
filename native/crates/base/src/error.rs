//! Defines all errors of the core in one enum, each with a stable kind that the bindings map.

use std::path::{Path, PathBuf};

use super::disk_room;

/// The engine's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// All errors of the core. Messages are lower case, name the object, and end without a full stop.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The caller cancelled the work.
    #[error("cancelled")]
    Cancelled,
    /// Another process writes to this store.
    #[error("the index is being written by {owner}")]
    Locked {
        /// The writer, in words: program, process id, host and since when.
        owner: String,
    },
    /// The store was made by a newer version.
    #[error("the store `{}` has format {found}, this version reads up to {supported}", path.display())]
    StoreTooNew {
        /// The database file.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The newest format known here.
        supported: u32,
    },
    /// The store can't be read as what it should be.
    #[error("the store `{}` is damaged: {detail}", path.display())]
    StoreDamaged {
        /// The damaged file.
        path: PathBuf,
        /// The problem.
        detail: String,
    },
    /// The store can only be read here.
    #[error("the store `{}` can't be written: {detail}", path.display())]
    StoreReadOnly {
        /// The store's folder.
        path: PathBuf,
        /// Why.
        detail: String,
    },
    /// A part of an index that was made elsewhere can't be used.
    #[error("{part} can't be used: {detail}")]
    PartDamaged {
        /// The part, in words: its kind, and its number among those of its kind.
        part: String,
        /// The problem.
        detail: String,
    },
    /// A folder is not one that this user made, or one that others may write to.
    #[error("`{}` can't be used as a store: {detail}", path.display())]
    Untrusted {
        /// The folder.
        path: PathBuf,
        /// Why.
        detail: String,
    },
    /// The disk has no room left.
    #[error("no space left on the disk that holds `{}`{}", path.display(), disk_room::describe(path))]
    DiskFull {
        /// The file being written.
        path: PathBuf,
    },
    /// There is no index yet.
    #[error("`{}` has no index yet", path.display())]
    NotIndexed {
        /// The workspace's root.
        path: PathBuf,
    },
    /// The root can't be indexed.
    #[error("can't index `{}`: {detail}", path.display())]
    BadRoot {
        /// The root asked for.
        path: PathBuf,
        /// Why not.
        detail: String,
    },
    /// An argument is outside what is allowed.
    #[error("{0}")]
    InvalidArgument(String),
    /// A file could not be read or written.
    #[error("`{}`: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The database refused.
    #[error("database: {0}")]
    Database(#[from] rusqlite::Error),
    /// A bug in codecairn.
    #[error("internal error: {0}")]
    Internal(String),
}

/// The stable name of an error's class, for the bindings to map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// See [`Error::Cancelled`].
    Cancelled,
    /// See [`Error::Locked`].
    Locked,
    /// See [`Error::StoreTooNew`].
    StoreTooNew,
    /// See [`Error::StoreDamaged`].
    StoreDamaged,
    /// See [`Error::StoreReadOnly`].
    StoreReadOnly,
    /// See [`Error::PartDamaged`].
    PartDamaged,
    /// See [`Error::Untrusted`].
    Untrusted,
    /// See [`Error::DiskFull`].
    DiskFull,
    /// See [`Error::NotIndexed`].
    NotIndexed,
    /// See [`Error::BadRoot`].
    BadRoot,
    /// See [`Error::InvalidArgument`].
    InvalidArgument,
    /// See [`Error::Io`].
    Io,
    /// See [`Error::Database`].
    Database,
    /// See [`Error::Internal`].
    Internal,
}

impl ErrorKind {
    /// All classes.
    pub const ALL: [Self; 14] = [
        Self::Cancelled,
        Self::Locked,
        Self::StoreTooNew,
        Self::StoreDamaged,
        Self::StoreReadOnly,
        Self::PartDamaged,
        Self::Untrusted,
        Self::DiskFull,
        Self::NotIndexed,
        Self::BadRoot,
        Self::InvalidArgument,
        Self::Io,
        Self::Database,
        Self::Internal,
    ];

    /// The class's stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cancelled => "Cancelled",
            Self::Locked => "Locked",
            Self::StoreTooNew => "StoreTooNew",
            Self::StoreDamaged => "StoreDamaged",
            Self::StoreReadOnly => "StoreReadOnly",
            Self::PartDamaged => "PartDamaged",
            Self::Untrusted => "StoreUntrusted",
            Self::DiskFull => "DiskFull",
            Self::NotIndexed => "NotIndexed",
            Self::BadRoot => "BadRoot",
            Self::InvalidArgument => "InvalidArgument",
            Self::Io => "Io",
            Self::Database => "Database",
            Self::Internal => "Internal",
        }
    }
}

impl Error {
    /// An input or output error with the file it happened on; a full disk gets its own kind.
    pub fn io(path: impl AsRef<Path>, source: std::io::Error) -> Self {
        let path = path.as_ref().to_path_buf();
        if matches!(source.kind(), std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded) {
            Self::DiskFull { path }
        } else {
            Self::Io { path, source }
        }
    }

    /// What `SQLite` reported, with the database file it happened on: a full disk, damage and a store that can't be
    /// written get their own kinds.
    pub(crate) fn from_sqlite(path: impl AsRef<Path>, source: rusqlite::Error) -> Self {
        use rusqlite::Error as Sqlite;
        use rusqlite::ErrorCode as Code;
        let path = path.as_ref().to_path_buf();
        let detail = source.to_string();
        let code = match &source {
            Sqlite::SqlInputError { error, .. } => Some(error.code),
            other => other.sqlite_error_code(),
        };
        // A file that ends before a page does has lost its end.
        let is_short = |error: &rusqlite::ffi::Error| error.extended_code == rusqlite::ffi::SQLITE_IOERR_SHORT_READ;
        if source.sqlite_error().is_some_and(is_short) {
            return Self::StoreDamaged { path, detail };
        }
        match code {
            Some(Code::DiskFull) => Self::DiskFull { path },
            // The statements are fixed and tested, so `SQLite` refuses one only over a schema or rows that aren't ours:
            // the next free number is taken where pages of an older state lie among newer ones.
            Some(Code::DatabaseCorrupt | Code::NotADatabase | Code::Unknown | Code::ConstraintViolation) => {
                Self::StoreDamaged { path, detail }
            }
            // `SQLite` reports a file that it can't create or extend as a failure of its own, whatever the reason.
            Some(Code::SystemIoFailure | Code::CannotOpen) if disk_room::is_full(&path) => Self::DiskFull { path },
            Some(Code::ReadOnly | Code::CannotOpen | Code::PermissionDenied) => Self::StoreReadOnly { path, detail },
            Some(Code::DatabaseBusy | Code::DatabaseLocked) => Self::Locked { owner: "another process".to_owned() },
            Some(Code::SystemIoFailure) => Self::Io { path, source: std::io::Error::other(detail) },
            Some(_) => Self::Database(source),
            None => match source {
                Sqlite::InvalidColumnType(..)
                | Sqlite::FromSqlConversionFailure(..)
                | Sqlite::IntegralValueOutOfRange(..)
                | Sqlite::Utf8Error(..)
                | Sqlite::QueryReturnedNoRows => Self::StoreDamaged { path, detail },
                other => Self::Database(other),
            },
        }
    }

    /// The error's class.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Cancelled => ErrorKind::Cancelled,
            Self::Locked { .. } => ErrorKind::Locked,
            Self::StoreTooNew { .. } => ErrorKind::StoreTooNew,
            Self::StoreDamaged { .. } => ErrorKind::StoreDamaged,
            Self::StoreReadOnly { .. } => ErrorKind::StoreReadOnly,
            Self::PartDamaged { .. } => ErrorKind::PartDamaged,
            Self::Untrusted { .. } => ErrorKind::Untrusted,
            Self::DiskFull { .. } => ErrorKind::DiskFull,
            Self::NotIndexed { .. } => ErrorKind::NotIndexed,
            Self::BadRoot { .. } => ErrorKind::BadRoot,
            Self::InvalidArgument(_) => ErrorKind::InvalidArgument,
            Self::Io { .. } => ErrorKind::Io,
            Self::Database(_) => ErrorKind::Database,
            Self::Internal(_) => ErrorKind::Internal,
        }
    }
}
