//! How much work one text may make for the parsers.

use crate::clock::Clock;

/// How often the parsers may report progress (every 100 of their steps) per kilobyte of text. In 20,000 files of 35
/// languages the median is 0–13 reports and the most 31. Unfinished lambdas, `a=>` a line, give the grammar of Java 40, and
/// at their end one step takes memory that grows with the square of their number.
const MAX_REPORTS_PER_KILOBYTE: usize = 36;

/// Reports that even the smallest text may take.
const MIN_REPORTS: usize = 150;

/// How long parsing may take, beside what each megabyte adds. Source takes 0.2 s a megabyte; a step of error recovery
/// may take a millisecond, so counting steps is not enough: 2 kB of `{-` keep the grammar of Apex busy for 9 s.
const MAX_PARSE_NS: i64 = 5_000_000_000;

/// What is left for a text and for all that is embedded in it: a page may hold thousands of scripts.
pub(crate) struct ParseLimit<'c> {
    reports_left: usize,
    clock: Option<&'c dyn Clock>,
    start_ns: i64,
    max_ns: i64,
}

impl<'c> ParseLimit<'c> {
    /// For a text of `length` bytes; without a clock, only steps are counted.
    pub(crate) fn of(length: usize, clock: Option<&'c dyn Clock>) -> Self {
        Self {
            reports_left: MIN_REPORTS.max(length * MAX_REPORTS_PER_KILOBYTE / 1024),
            clock,
            start_ns: clock.map_or(0, Clock::now_ns),
            max_ns: MAX_PARSE_NS + MAX_PARSE_NS / (1 << 20) * length as i64,
        }
    }

    /// Counts a report of progress; whether the parser may go on.
    pub(super) fn allows_more(&mut self) -> bool {
        self.reports_left = self.reports_left.saturating_sub(1);
        self.reports_left > 0 && self.clock.is_none_or(|clock| clock.now_ns() - self.start_ns <= self.max_ns)
    }
}
