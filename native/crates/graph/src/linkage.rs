//! Resolves names of C and C++ by what a file includes and by linkage.
//!
//! A name means a definition that the file or one of its headers has. A name that is only declared there means the
//! definition that the linker would find. The branches of a condition (`#if`, one file for each platform) may define a
//! function several times: these are variants of one function, and each of them is a target.

use std::collections::HashSet;
use std::sync::LazyLock;

use codecairn_base::error::Result;
use codecairn_index::view::FileIndex;
use codecairn_syntax::Evidence;
use codecairn_syntax::kind::Kind;

use super::branch::Load;
use super::common_names::is_common;
use super::edge::{Resolution, ResolutionMethod};
use super::family::Family;
use super::modules::{Module, has_standard_name};
use super::resolver::Resolver;
use super::symbol::SymbolId;
use super::symbol::{SymbolCategory, is_type};

/// How a symbol of C is defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Linkage {
    /// A function that all files may use.
    External,
    /// A function that the file that defines it may use, and those that include that.
    Internal,
    /// A macro.
    Macro,
    /// A function that a macro makes of its arguments, such as a test. No call names it.
    Generated,
    /// A function that is declared and has no body.
    Prototype,
    /// A type, a variable or a constant.
    Other,
}

/// The maximum number of headers that are searched for a name.
const MAX_HEADERS: usize = 200;

/// More definitions than this are no variants of one function.
const MAX_VARIANTS: usize = 12;

/// Functions of the standard library of C and of POSIX. A program must not define them (C11 7.1.3), so a definition is
/// a replacement for platforms without them.
static RESERVED: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    "abort abs accept access acos asctime asin atan atan2 atexit atof atoi atol atoll bind bsearch calloc ceil chdir \
     chmod chown clock clock_gettime close closedir connect cos cosh creat ctime difftime div dup dup2 execl execv \
     execve execvp exit exp fabs fclose fcntl fdopen feof ferror fflush fgetc fgetpos fgets fileno floor fmod fopen fork \
     fprintf fputc fputs fread free freeaddrinfo freopen frexp fscanf fseek fseeko fsetpos fstat fsync ftell ftello ftruncate fwrite \
     gai_strerror getaddrinfo getc getchar getcwd getenv gethostname getline getnameinfo getopt getpid getppid gets getsockname getsockopt \
     gettimeofday gmtime gmtime_r htonl htons inet_ntop inet_pton ioctl isalnum isalpha isatty iscntrl isdigit isgraph \
     islower isprint ispunct isspace isupper isxdigit kill labs ldexp ldiv link listen localeconv localtime localtime_r \
     log log10 log2 longjmp lrint lround lseek lstat malloc mblen mbstowcs mbtowc memchr memcmp memcpy memmove memset \
     mkdir mkstemp mktime mmap modf munmap nanosleep ntohl ntohs open opendir pclose perror pipe poll popen pow pread \
     printf putc putchar puts pwrite qsort raise rand read readdir readlink realloc realpath recv recvfrom remove rename \
     rewind rint rmdir round scanf select send sendto setbuf setenv setlocale setsockopt setvbuf shutdown sigaction \
     signal sin sinh sleep snprintf socket sprintf sqrt srand sscanf stat strcasecmp strcat strchr strcmp strcoll strcpy \
     strcspn strdup strerror strerror_r strftime strlen strncasecmp strncat strncmp strncpy strndup strnlen strpbrk \
     strrchr strsignal strspn strstr strtod strtof strtok strtok_r strtol strtold strtoll strtoul strtoull strxfrm \
     symlink sysconf system tan tanh time tmpfile tmpnam tolower toupper trunc ungetc unlink unsetenv usleep vfprintf \
     vprintf vscanf vsnprintf vsprintf vsscanf waitpid wcscat wcschr wcscmp wcscpy wcslen wcsncmp write"
        .split_whitespace()
        .collect()
});

/// What the standard headers of C define as macros: diagnostics (C11 7.2), classification and comparison of floating-point
/// numbers (7.12.3, 7.12.14), `setjmp` (7.13), variable arguments (7.16) and `offsetof` (7.19). A project that defines one
/// does so under a condition, for compilers without it, so a call means the header's or the project's.
static STANDARD_MACROS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    "assert fpclassify isfinite isgreater isgreaterequal isinf isless islessequal islessgreater isnan isnormal isunordered \
     offsetof setjmp signbit static_assert va_arg va_copy va_end va_start"
        .split_whitespace()
        .collect()
});

fn is_reserved(name: &str) -> bool {
    RESERVED.contains(name) || name.starts_with("pthread_")
}

impl<L: Load> Resolver<'_, L> {
    /// The symbols that a name without scopes means at a byte of a C file.
    pub(super) fn linked(&self, file: FileIndex, at: u32, name: &str, wanted: SymbolCategory) -> Result<Resolution> {
        let found = self.free_symbols(name, wanted)?;
        if found.is_empty() {
            return Ok(Resolution::external());
        }
        let headers = self.branch.headers(file, || self.included_by(file))?;
        let is_seen = |id: &SymbolId| id.file == file || headers.binary_search(&id.file).is_ok();
        let (seen, unseen): (Vec<SymbolId>, Vec<SymbolId>) = found.into_iter().partition(is_seen);
        let seen = self.in_visible_namespace(file, at, seen)?;
        let resolution = if seen.is_empty() {
            self.undeclared(file, unseen, name)?
        } else {
            self.declared(file, at, seen, &unseen)?
        };
        if resolution.how.is_resolved() && STANDARD_MACROS.contains(name) {
            return Ok(Resolution::new(ResolutionMethod::Ambiguous, resolution.targets));
        }
        if resolution.how.is_resolved() && is_reserved(name) {
            let is_static =
                |id: &SymbolId| id.file == file && self.linkage(*id).is_ok_and(|it| it == Linkage::Internal);
            return Ok(match () {
                () if resolution.targets.iter().any(is_static) => resolution,
                () if self.with_linkage(&resolution.targets, Linkage::External)?.is_empty() => Resolution::external(),
                () => Resolution::new(ResolutionMethod::Ambiguous, resolution.targets),
            });
        }
        Ok(resolution)
    }

    /// The symbols of a name that belong to no type. A macro belongs to nothing, wherever it is written.
    fn free_symbols(&self, name: &str, wanted: SymbolCategory) -> Result<Vec<SymbolId>> {
        let mut found = Vec::new();
        for &id in self.branch.defining(name)?.iter() {
            let facts = self.facts(id.file)?;
            let row = &facts.symbols[id.symbol as usize];
            if self.branch.family(id.file) != Family::C || !wanted.fits(row.kind, Family::C) {
                continue;
            }
            let is_free = row.kind != Kind::Method
                && row.parent.is_none_or(|parent| facts.symbols[parent as usize].kind == Kind::Module);
            let linkage = self.linkage(id)?;
            if (is_free || linkage == Linkage::Macro) && linkage != Linkage::Generated {
                found.push(id);
            }
        }
        Ok(found)
    }

    /// Of symbols with different scopes, those in a namespace that is open at a byte of a file.
    fn in_visible_namespace(&self, file: FileIndex, at: u32, found: Vec<SymbolId>) -> Result<Vec<SymbolId>> {
        if found.len() < 2 || self.have_same_names(&found)? {
            return Ok(found);
        }
        let visible = self.visible_namespaces(file, at)?;
        let mut open = Vec::new();
        for &id in &found {
            let full = self.full_name(id)?;
            let scope = full.rsplit_once('.').map_or("", |(scope, _)| scope);
            if visible.iter().any(|known| known == scope) {
                open.push(id);
            }
        }
        Ok(if open.is_empty() { found } else { open })
    }

    /// The targets of a name that the file or one of its headers has, in `seen`.
    fn declared(&self, file: FileIndex, at: u32, seen: Vec<SymbolId>, unseen: &[SymbolId]) -> Result<Resolution> {
        if !self.have_same_names(&seen)? {
            return Ok(Resolution::new(ResolutionMethod::Ambiguous, seen));
        }
        let (defined, prototypes): (Vec<SymbolId>, Vec<SymbolId>) =
            seen.into_iter().partition(|id| self.linkage(*id).is_ok_and(|linkage| linkage != Linkage::Prototype));
        let own: Vec<SymbolId> = defined.iter().copied().filter(|id| id.file == file).collect();
        if !own.is_empty() {
            return Ok(Resolution::new(ResolutionMethod::SameFile, self.before(at, own)?));
        }
        // What is declared as a function as well, is no variable: `#define push api_push` for some builds.
        let is_renaming = |id: &&SymbolId| self.row(**id).is_ok_and(|row| row.kind == Kind::Constant);
        let are_macros = self.with_linkage(&defined, Linkage::Macro)?.len()
            + defined.iter().filter(is_renaming).count()
            == defined.len();
        let mut targets = defined;
        // What is declared in C++ beside a definition, or in several headers, are overloads: none is nearer than others.
        let is_overloaded = self.branch.view.file(file).language.id == "cpp"
            && (!targets.is_empty() || prototypes.iter().any(|id| id.file != prototypes[0].file));
        // A header that renames a function for some builds may declare it in a way that is not read.
        let are_renamings = !targets.is_empty() && targets.iter().filter(is_renaming).count() == targets.len();
        if targets.is_empty() || are_renamings || (are_macros || is_overloaded) && !prototypes.is_empty() {
            let bodies = self.with_linkage(unseen, Linkage::External)?;
            targets.extend(if is_overloaded { bodies } else { self.nearest_definitions(file, bodies) });
        }
        if targets.is_empty() {
            targets = prototypes;
        }
        // Every header of a library may open its namespace.
        let are_open = targets.iter().all(|id| self.row(*id).is_ok_and(|row| row.kind == Kind::Module));
        let how = if are_open || targets.len() <= MAX_VARIANTS {
            ResolutionMethod::Import
        } else {
            ResolutionMethod::Ambiguous
        };
        Ok(Resolution::new(how, targets))
    }

    /// The targets of a name that neither the file nor any of its headers has.
    fn undeclared(&self, file: FileIndex, found: Vec<SymbolId>, name: &str) -> Result<Resolution> {
        // Whether `#include <math.h>` means the project's own header of that name is for the build to decide.
        let is_own_standard = |id: &SymbolId| has_standard_name(self.branch.path(id.file));
        let known = found.iter().copied().filter(|id| !is_own_standard(id)).collect::<Vec<_>>();
        let bodies = self.nearest_definitions(file, self.with_linkage(&known, Linkage::External)?);
        // A program has one external definition of a name, whether or not a header declares it.
        if !bodies.is_empty() && bodies.len() <= MAX_VARIANTS && !is_common(name) && self.have_same_results(&bodies)? {
            return Ok(Resolution::new(ResolutionMethod::Package, bodies));
        }
        let mut found = found;
        // A header may use what the files that include it have.
        if !is_header(self.branch.path(file)) {
            found.retain(|id| {
                let is_linked = |linkage| matches!(linkage, Linkage::External | Linkage::Other);
                is_own_standard(id) || self.linkage(*id).is_ok_and(is_linked)
            });
        }
        let found = self.nearest_definitions(file, self.definitions(found)?);
        Ok(match found.len() {
            0 => Resolution::external(),
            1 => Resolution::new(ResolutionMethod::UniqueName, found),
            _ => Resolution::new(ResolutionMethod::Ambiguous, found),
        })
    }

    /// Of macros in the file that uses them, those that are defined before they are used, if any are.
    fn before(&self, at: u32, own: Vec<SymbolId>) -> Result<Vec<SymbolId>> {
        if self.with_linkage(&own, Linkage::Macro)?.len() < own.len() {
            return Ok(own);
        }
        let is_before = |id: &SymbolId| self.row(*id).is_ok_and(|row| row.span.start < at);
        let before: Vec<SymbolId> = own.iter().copied().filter(is_before).collect();
        Ok(if before.is_empty() { own } else { before })
    }

    fn with_linkage(&self, found: &[SymbolId], wanted: Linkage) -> Result<Vec<SymbolId>> {
        let mut fitting = Vec::new();
        for &id in found {
            if self.linkage(id)? == wanted {
                fitting.push(id);
            }
        }
        Ok(fitting)
    }

    fn have_same_names(&self, found: &[SymbolId]) -> Result<bool> {
        let Some(&first) = found.first() else { return Ok(true) };
        let name = self.branch.qualified_name(first)?;
        for &id in found {
            if self.branch.qualified_name(id)? != name && self.linkage(id)? != Linkage::Macro {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether functions are declared with the same result, as variants of one function are.
    fn have_same_results(&self, found: &[SymbolId]) -> Result<bool> {
        let mut results = HashSet::new();
        for &id in found {
            results.insert(self.body(id)?);
        }
        Ok(results.len() < 2)
    }

    /// The linkage of a symbol of C.
    fn linkage(&self, id: SymbolId) -> Result<Linkage> {
        if !matches!(self.row(id)?.kind, Kind::Function | Kind::Method) {
            return Ok(Linkage::Other);
        }
        Ok(match self.body(id)? {
            // The grammar of Objective-C has no query for types.
            None if !self.marks_bodies(id.file) && !is_header(self.branch.path(id.file)) => Linkage::External,
            None => Linkage::Prototype,
            Some("static") => Linkage::Internal,
            Some("#define") => Linkage::Macro,
            // Its parameters take the place of its result.
            Some(result) if result.starts_with('(') => Linkage::Generated,
            Some(_) => Linkage::External,
        })
    }

    /// What a function with a body returns, as written.
    fn body(&self, id: SymbolId) -> Result<Option<&str>> {
        let facts = self.facts(id.file)?;
        let name_span = facts.symbols[id.symbol as usize].name_span;
        let mut bindings = facts.bindings_of(facts.name(id.symbol));
        let body = bindings.find(|binding| binding.span == name_span && binding.evidence == Evidence::Returns);
        Ok(body.map(|binding| facts.text(binding.text)))
    }

    /// Whether a macro of C made a function, such as a test, that no call names.
    pub(super) fn is_generated(&self, id: SymbolId) -> bool {
        self.branch.family(id.file) == Family::C && self.linkage(id).is_ok_and(|linkage| linkage == Linkage::Generated)
    }

    fn marks_bodies(&self, file: FileIndex) -> bool {
        self.branch.view.file(file).language.id != "objc"
    }

    /// Of prototypes and definitions of one function of C, the definitions; the prototypes if nothing else is there.
    pub(super) fn definitions(&self, found: Vec<SymbolId>) -> Result<Vec<SymbolId>> {
        if found.len() < 2 || found.iter().any(|id| self.branch.family(id.file) != Family::C) {
            return Ok(found);
        }
        let name = self.branch.qualified_name(found[0])?;
        let (mut defined, mut away) = (Vec::new(), Vec::new());
        for &id in &found {
            let linkage = self.linkage(id)?;
            if linkage == Linkage::Other || self.branch.qualified_name(id)? != name {
                return Ok(found);
            }
            if linkage != Linkage::Prototype {
                defined.push(id);
            }
            if self.row(id)?.kind == Kind::Method && !self.is_in_type(id)? {
                away.push(id);
            }
        }
        Ok(match () {
            // A member of C++ that is written away from its class is a definition of what the class declares.
            () if !away.is_empty() && away.len() * 2 >= found.len() => away,
            () if defined.is_empty() || !away.is_empty() => found,
            () => defined,
        })
    }

    fn is_in_type(&self, id: SymbolId) -> Result<bool> {
        let facts = self.facts(id.file)?;
        let parent = facts.symbols[id.symbol as usize].parent;
        Ok(parent.is_some_and(|parent| is_type(facts.symbols[parent as usize].kind)))
    }

    /// Of several definitions of one name, those whose files share the most folders with a file.
    fn nearest_definitions(&self, file: FileIndex, found: Vec<SymbolId>) -> Vec<SymbolId> {
        let home = self.branch.folder(file);
        let shared = |id: &SymbolId| {
            let folder = self.branch.folder(id.file);
            let common = home.split('/').zip(folder.split('/')).take_while(|(a, b)| a == b).count();
            (folder == home, common)
        };
        let most = found.iter().map(shared).max();
        found.into_iter().filter(|id| Some(shared(id)) == most).collect()
    }

    /// The files that a C file includes, directly or not, in ascending order.
    fn included_by(&self, file: FileIndex) -> Result<Vec<FileIndex>> {
        let mut seen = vec![file];
        let mut next = 0;
        while next < seen.len() && seen.len() < MAX_HEADERS {
            let facts = self.facts(seen[next])?;
            for import in &facts.imports {
                if let Module::Files(files) = self.branch.module(seen[next], facts.text(import.source)) {
                    seen.extend(files.into_iter().filter(|file| !seen.contains(file)).collect::<Vec<_>>());
                }
            }
            next += 1;
        }
        seen.sort_unstable();
        Ok(seen)
    }
}

/// Whether a file is a header, by its name.
fn is_header(path: &str) -> bool {
    path.rsplit('.').next().is_some_and(|end| end.starts_with('h'))
}
