//! Detects numbers of payment cards by the ranges and lengths of the schemes and by the Luhn check digit.

use super::runs::run_end;
use super::secret::Secret;

/// A scheme: the first digits, from and to (ISO/IEC 7812 issuer identification numbers), and the lengths.
struct Scheme {
    first: (u32, u32),
    lengths: &'static [usize],
}

const fn scheme(from: u32, to: u32, lengths: &'static [usize]) -> Scheme {
    Scheme { first: (from, to), lengths }
}

/// By the first four digits; from the schemes' public rule books, as Wikipedia's "Payment card number" lists them.
const SCHEMES: [Scheme; 12] = [
    scheme(4000, 4999, &[13, 16, 19]),     // Visa
    scheme(5100, 5599, &[16]),             // Mastercard
    scheme(2221, 2720, &[16]),             // Mastercard
    scheme(3400, 3499, &[15]),             // American Express
    scheme(3700, 3799, &[15]),             // American Express
    scheme(6011, 6011, &[16, 19]),         // Discover
    scheme(6440, 6599, &[16, 19]),         // Discover
    scheme(3528, 3589, &[16, 19]),         // JCB
    scheme(3000, 3059, &[14]),             // Diners Club
    scheme(3600, 3699, &[14]),             // Diners Club
    scheme(3800, 3999, &[14]),             // Diners Club
    scheme(6200, 6299, &[16, 17, 18, 19]), // UnionPay
];

/// How numbers are grouped for people: four by four, and 4-6-5 or 4-6-4.
const GROUPS: [&[usize]; 5] = [&[4, 4, 4, 4], &[4, 4, 4, 4, 3], &[4, 6, 5], &[4, 6, 4], &[4, 4, 4, 1]];

pub(super) fn find(text: &str, found: &mut Vec<Secret>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let run = run_end(text, at, |byte| byte.is_ascii_digit());
        let end = if (13..=19).contains(&(run - at)) { run } else { grouped(bytes, at, run) };
        if end > at && is_apart(bytes, at, end) && is_card(bytes[at..end].iter().filter(|byte| byte.is_ascii_digit())) {
            found.push(Secret::new(at..end, "card-number"));
            at = end;
        } else {
            at = run;
        }
    }
}

/// Where the groups of digits end that begin at `start` with a run to `run`; `start` if they are no card's.
fn grouped(bytes: &[u8], start: usize, run: usize) -> usize {
    let Some(&separator) = bytes.get(run).filter(|byte| b" -.".contains(byte)) else { return start };
    if run - start != 4 {
        return start;
    }
    let (mut lengths, mut at) = (vec![4], run);
    while lengths.len() < 6 && bytes.get(at) == Some(&separator) {
        let digits = bytes[at + 1..].iter().take(8).take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            break;
        }
        lengths.push(digits);
        at += 1 + digits;
    }
    // What follows a card with a blank may be digits too: its year, its code.
    let groups = GROUPS.iter().filter(|groups| lengths.starts_with(groups)).max_by_key(|groups| groups.len());
    groups.map_or(start, |groups| start + groups.iter().sum::<usize>() + groups.len() - 1)
}

/// Whether the number is no part of a longer word, of a decimal fraction, of an address.
fn is_apart(bytes: &[u8], start: usize, end: usize) -> bool {
    let before = start.checked_sub(1).map(|at| bytes[at]);
    let after = bytes.get(end).copied();
    let joins = |byte: u8| byte.is_ascii_alphanumeric() || b"_-/%#+".contains(&byte) || !byte.is_ascii();
    let is_fraction = before == Some(b'.') || after == Some(b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
    !before.is_some_and(joins) && !after.is_some_and(joins) && !is_fraction
}

fn is_card<'a>(digits: impl Iterator<Item = &'a u8>) -> bool {
    let digits: Vec<u32> = digits.map(|byte| u32::from(byte - b'0')).collect();
    let first = digits.iter().take(4).fold(0, |number, digit| number * 10 + digit);
    let is_known = SCHEMES
        .iter()
        .any(|scheme| (scheme.first.0..=scheme.first.1).contains(&first) && scheme.lengths.contains(&digits.len()));
    let is_varied = digits[4..].iter().any(|digit| *digit != digits[4]);
    is_known && is_varied && is_luhn(&digits)
}

/// The check digit of ISO/IEC 7812-1, annex B.
fn is_luhn(digits: &[u32]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| {
            if at % 2 == 0 {
                *digit
            } else if *digit > 4 {
                digit * 2 - 9
            } else {
                digit * 2
            }
        })
        .sum();
    sum.is_multiple_of(10)
}
