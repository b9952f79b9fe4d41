//! Limits the work and memory that one text may cost the parsers.
//!
//! A parse is stopped after a number of steps, which depends on the text alone; after an amount of processor time, which
//! depends on the machine too; or when it would take more memory than a text of its size ever needs.

use codecairn_base::clock::Clock;

use super::parse::ParseFailure;

/// How often the parsers may report progress (every 100 of their steps) per kilobyte of text. In 20,000 files of 35
/// languages the median is 0–13 reports and the most 31. Unfinished lambdas, `a=>` a line, give the grammar of Java 40.
const MAX_REPORTS_PER_KILOBYTE: usize = 36;

/// Reports that even the smallest text may take.
const MIN_REPORTS: usize = 150;

/// How many times the steps of one parse all the parses of a recovery may take.
const RECOVERY_FACTOR: usize = 4;

/// The processor time that the parse of an empty text may take. A step of error recovery may take a millisecond, so
/// counting steps is not enough: 2 kB of `{-` keep the grammar of Apex busy for 9 s.
const MAX_PARSE_NS: i64 = 2_000_000_000;
/// The further processor time for each megabyte of text; source takes 0.2 s.
const MAX_PARSE_NS_PER_MEGABYTE: i64 = 500_000_000;

/// Reports from one look at the clock to the next: asking the system for a thread's processor time takes 0.3 µs, as long
/// as a few steps do.
const REPORTS_PER_LOOK: usize = 4;

/// The memory that the parse of an empty text may take.
const MIN_MEMORY: usize = 16 << 20;
/// The further memory for each byte of text.
const MEMORY_PER_BYTE: usize = 128;
/// The memory that no parse may exceed.
const MAX_MEMORY: usize = 256 << 20;

/// The most memory that parsing a text of so many bytes may take.
pub(super) fn max_memory(length: usize) -> usize {
    MAX_MEMORY.min(MIN_MEMORY + MEMORY_PER_BYTE * length)
}

/// What is left for a text and for all that is embedded in it: a page may hold thousands of scripts.
pub(crate) struct ParseLimit<'c> {
    reports_left: usize,
    reports_to_look: usize,
    clock: Option<&'c dyn Clock>,
    start_ns: i64,
    max_ns: i64,
    is_slow: bool,
}

impl<'c> ParseLimit<'c> {
    /// For a text of `length` bytes, with a clock for this thread's processor time; without, only steps are counted.
    pub(crate) fn of(length: usize, clock: Option<&'c dyn Clock>) -> Self {
        Self {
            reports_left: MIN_REPORTS.max(length * MAX_REPORTS_PER_KILOBYTE / 1024),
            reports_to_look: 1,
            clock,
            start_ns: clock.map_or(0, Clock::thread_ns),
            max_ns: MAX_PARSE_NS + MAX_PARSE_NS_PER_MEGABYTE * length as i64 / (1 << 20),
            is_slow: false,
        }
    }

    /// For parsing a text of `length` bytes again and again, which it can do without: half of the time that is left.
    pub(super) fn for_recovery(&self, length: usize) -> Self {
        let start_ns = self.clock.map_or(0, Clock::thread_ns);
        let max_ns = (self.max_ns - (start_ns - self.start_ns)) / 2;
        let reports_left = RECOVERY_FACTOR * MIN_REPORTS.max(length * MAX_REPORTS_PER_KILOBYTE / 1024);
        Self { reports_left, reports_to_look: 1, start_ns, max_ns, ..*self }
    }

    /// Counts a report of progress; whether the parser may go on.
    pub(super) fn allows_more(&mut self) -> bool {
        self.reports_left = self.reports_left.saturating_sub(1);
        self.reports_to_look -= 1;
        if self.reports_to_look == 0 {
            self.reports_to_look = REPORTS_PER_LOOK;
            self.has_time();
        }
        self.reports_left > 0 && !self.is_slow
    }

    /// Looks at the clock; whether the parser may go on.
    pub(super) fn has_time(&mut self) -> bool {
        self.is_slow |= self.clock.is_some_and(|clock| clock.thread_ns() - self.start_ns > self.max_ns);
        !self.is_slow
    }

    /// Whether the time ran out.
    pub(super) fn is_slow(&self) -> bool {
        self.is_slow
    }

    /// Which limit stopped the parser.
    pub(super) fn failure(&self) -> ParseFailure {
        if self.is_slow { ParseFailure::Slow } else { ParseFailure::Steps }
    }
}
