//! Decides whether a person's prompt states something, and does not ask for it to be forgotten, quote it or deny it.
//!
//! A statement counts if it stands at the beginning of its sentence or behind words of agreement alone (`Please note: …`,
//! `Actually, …`), and if neither the sentence nor the line that introduces it says more. Where that is not sure it does not
//! count: a statement that stays forgotten is said again with `memory add`; one that comes back hurts.

use std::collections::BTreeSet;

use super::statement::{Found, Hash};
use crate::extract::sentences::sentences;

/// Words that may stand before a statement that holds, in English, German, French, Spanish, Portuguese, Italian, Russian,
/// Chinese and Japanese. Conditions (`if`, `wenn`, `si`, `se`) are not in it: `sí` and `sì` have their accents.
const AFFIRMING: &[&str] = &[
    "actually again also and btw correction decided decision fact from fyi i important indeed more note now ok",
    "okay on once please remember reminder repeat right rule said say so sure that update we well yes",
    "ab also bitte dass dir doch eigentlich einmal entschieden erneut haben hinweis ich ja jetzt korrektur merk",
    "merke noch nochmal regel sage tatsächlich wichtig wiederhole wir",
    "accord d en encore fait il je notez nous oui plaît plait que rappel répète s souviens te toi vous",
    "corrección de favor hecho importante nota otra por recordatorio recuerda sí vez",
    "correção lembra lembre na novo sim verdade",
    "correzione di favore in nuovo per promemoria realtà ricorda sì",
    "важно да деле ещё еще заметка запомни запомните исправление на пожалуйста помни раз самом снова",
    "其实 再说一次 更正 注意 是的 记住 请 请注意 请记住 重要",
    "はい もう一度 メモ 実は 覚えて 覚えておいて 訂正",
];
/// How words begin that ask for something to be forgotten, in the same languages.
const FORGETTING: &[&str] =
    &["dimentic", "esquec", "esqueç", "forget", "oubli", "olvid", "vergess", "vergiss", "забуд", "забыт", "忘"];
/// Signs after which a sentence goes on with something else.
const PAUSES: [char; 8] = [',', ';', ':', '—', '–', '，', '、', '：'];

/// The statements that a prompt states, of those found in it.
pub(super) fn stated(body: &str, found: impl IntoIterator<Item = Found>) -> BTreeSet<Hash> {
    let offset = |part: &str| part.as_ptr().addr() - body.as_ptr().addr();
    let is_question = |sentence: &str| sentence.trim_end().ends_with(['?', '？', '؟']);
    let said: Vec<(usize, usize)> = sentences(body)
        .into_iter()
        .filter(|sentence| !is_question(sentence))
        .map(|sentence| (offset(sentence), offset(sentence) + sentence.len()))
        .collect();
    let (introduced, forgetting) = (introductions(body), forgetting(body));
    let speaks_of_forgetting = |found: &Found| {
        forgetting.first().is_some_and(|at| *at < found.start) || forgetting.last().is_some_and(|at| *at >= found.end)
    };
    let states = |found: &Found| {
        let at = said.partition_point(|(start, _)| *start <= found.start);
        let Some((start, end)) = at.checked_sub(1).map(|at| said[at]) else { return false };
        let line = introduced.partition_point(|(start, _)| *start <= found.start);
        found.start < end
            && affirms(&body[start..found.start])
            && line.checked_sub(1).is_none_or(|line| introduced[line].1)
            && (found.is_last || body[found.end..].trim_start().starts_with(PAUSES))
            && !speaks_of_forgetting(found)
    };
    found.into_iter().filter(states).map(|found| found.hash).collect()
}

/// Whether a sentence asks for something to be forgotten. `Never forget to …` does not.
pub(crate) fn asks_to_forget(sentence: &str) -> bool {
    let mut words = tokens(sentence).map(str::to_lowercase).skip_while(|word| is_affirming(word));
    let negations = ["不", "别", "別", "勿", "忘れない", "忘れず", "忘れるな"];
    words.next().is_some_and(|word| is_forgetting(&word) && !negations.iter().any(|negation| word.contains(negation)))
}

/// Whether a text is nothing but words that may stand before a statement that holds.
fn affirms(text: &str) -> bool {
    tokens(text).all(|word| is_affirming(&word.to_lowercase()))
}

fn is_affirming(word: &str) -> bool {
    AFFIRMING.iter().any(|line| line.split(' ').any(|known| known == word))
}

/// The first bytes of the words for forgetting, in order.
fn forgetting(body: &str) -> Vec<usize> {
    let words = tokens(body).filter(|word| is_forgetting(&word.to_lowercase()));
    words.map(|word| word.as_ptr().addr() - body.as_ptr().addr()).collect()
}

fn is_forgetting(word: &str) -> bool {
    FORGETTING.iter().any(|stem| word.starts_with(stem) || !stem.is_ascii() && word.contains(stem))
}

fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// The first byte of each line, and whether the line that introduces it by a colon at its end, if there is one, is made of
/// words of agreement.
fn introductions(body: &str) -> Vec<(usize, bool)> {
    let mut found = Vec::new();
    let (mut is_affirmed, mut is_parted, mut has_content) = (true, false, false);
    for line in body.lines() {
        let text = line.trim();
        if text.is_empty() {
            is_parted = true;
            continue;
        }
        if is_parted && has_content && !text.starts_with(['-', '*', '•', '+']) {
            is_affirmed = true;
        }
        found.push((line.as_ptr().addr() - body.as_ptr().addr(), is_affirmed));
        (is_parted, has_content) = (false, true);
        if text.ends_with([':', '：']) {
            (is_affirmed, has_content) = (affirms(text), false);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::statement::{Key, Matcher, statements};
    use super::{asks_to_forget, stated};

    fn states(prompt: &str, statement: &str) -> bool {
        let key = Key::new([7; 32]);
        let matcher = Matcher::new(key.clone(), statements(&key, statement).into_iter());
        let found = matcher.find(prompt);
        assert!(!found.is_empty(), "{prompt}");
        !stated(prompt, found).is_empty()
    }

    const RULE: &str = "the staging port is 6001 for everybody";

    #[test]
    fn a_statement_counts_at_the_beginning_and_behind_words_of_agreement() {
        for frame in [
            "@",
            "@.",
            "Please note: @",
            "Actually, @",
            "- @",
            "Remember:\n- Q\n- @",
            "Yes. @!",
            "We decided that @.",
            "Merke dir bitte: @",
            "Sí, @",
            "请记住：@",
            "Da ist noch etwas.\n\n@",
            "@, because of the proxy",
        ] {
            assert!(states(&frame.replace('@', RULE), RULE), "{frame}");
        }
    }

    #[test]
    fn a_request_to_forget_a_denial_a_question_and_a_quotation_do_not_count() {
        for frame in [
            "Please forget this: @",
            "No longer true - @",
            "Forget this:\n@",
            "Forget these:\n\n- Q\n- @",
            "2026-11-02 10:11:12 INFO @",
            "Is it so that @?",
            "> @",
            "@ is wrong.",
            "If @, stop.",
            "@. Forget it.",
            "Vergiss bitte: @",
            "Forget the following. @",
            "Si @, rien",
            "请忘记：@",
            "It is not true that @",
        ] {
            assert!(!states(&frame.replace('@', RULE), RULE), "{frame}");
        }
    }
    #[test]
    fn a_request_to_forget_begins_with_one() {
        for text in
            ["Forget this: we use tabs.", "Please forget that we use tabs", "Vergiss bitte: Tabs", "请忘记这个规则"]
        {
            assert!(asks_to_forget(text), "{text}");
        }
        for text in [
            "Never forget to run make fmt.",
            "The forgetful cache is off.",
            "I forgot the key: add it.",
            "不要忘记运行测试",
            "テストを忘れないで",
            "",
        ] {
            assert!(!asks_to_forget(text), "{text}");
        }
    }
}
