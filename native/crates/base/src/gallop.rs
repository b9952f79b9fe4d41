//! Galloping (exponential) search in a sorted slice: O(log i) for an element at index i.

/// As [`partition_point`](slice::partition_point), the sooner found the nearer it is to the beginning.
#[inline]
pub fn gallop<T>(items: &[T], is_before: impl Fn(&T) -> bool) -> usize {
    let mut end = 1;
    while items.get(end - 1).is_some_and(&is_before) {
        end *= 2;
    }
    let start = end / 2;
    start + items[start..end.min(items.len())].partition_point(is_before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_finds_what_a_search_from_the_middle_finds() {
        for length in 0..40 {
            let items: Vec<usize> = (0..length).collect();
            for wanted in 0..=length {
                assert_eq!(gallop(&items, |item| *item < wanted), wanted, "{wanted} of {length}");
            }
        }
    }
}
