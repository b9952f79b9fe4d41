//! Extracts statements of users and agents: decisions, preferences, rules, corrections, things to remember and to do.
//!
//! A statement is recognised by its beginning or by a phrase of whole words. Questions, conditions and reported speech
//! are none.

use super::candidate::Candidate;
use super::sentences::sentences;
use crate::words::{FactType, Origin};

/// Phrases that make a sentence a decision, at any position.
const DECISIONS: [&str; 40] = [
    "i want to use",
    "i want to switch",
    "i want to move to",
    "i want to migrate",
    "i want to keep",
    "i want to go with",
    "i want to stick with",
    "we want to use",
    "we're using",
    "we are using",
    "we're switching",
    "we're migrating",
    "we're moving to",
    "we're moving away from",
    "we switched",
    "we migrated",
    "let's switch to",
    "going forward",
    "we decided",
    "we've decided",
    "we have decided",
    "i decided",
    "i've decided",
    "let's go with",
    "let's use",
    "let us use",
    "we'll use",
    "we will use",
    "we'll go with",
    "we're going with",
    "we are going with",
    "we agreed",
    "the decision is",
    "decision:",
    "decided:",
    "settled on",
    "我们决定",
    "决定使用",
    "决定用",
    "就用",
];

/// Sentences that begin a project, and beginnings of the next sentence that describes it.
const BEGINNINGS: [&str; 6] =
    ["new project", "get started on", "starting a project", "start a project", "新项目", "新建项目"];
const WHAT_IT_IS: [&str; 7] = ["it's a", "it is a", "this is a", "this will be a", "it will be a", "这是一个", "它是"];

/// Phrases of an agent's decision, which counts only with its reason.
const AGENT_DECISIONS: [&str; 9] = [
    "i'll use",
    "i will use",
    "i chose",
    "i've chosen",
    "i decided",
    "we'll use",
    "going with",
    "decision:",
    "决定使用",
];
const REASONS: [&str; 7] = ["because", " since ", "so that", "in order to", "as it ", "due to", "因为"];

const PREFERENCES: [&str; 16] = [
    "i prefer",
    "i'd prefer",
    "i would prefer",
    "i'd rather",
    "i like it when",
    "i don't like",
    "i do not like",
    "i hate",
    "my preference is",
    "i always use",
    "i never use",
    "i want you to always",
    "我喜欢",
    "我更喜欢",
    "我不喜欢",
    "我偏好",
];

/// How rules begin.
const RULES: [&str; 22] = [
    "always ",
    "never ",
    "do not ever ",
    "don't ever ",
    "from now on",
    "you must ",
    "you must not ",
    "must not ",
    "don't use ",
    "do not use ",
    "don't touch ",
    "do not touch ",
    "make sure to always",
    "please always ",
    "please never ",
    "please don't ",
    "rule:",
    "以后都",
    "以后不要",
    "不要用",
    "不要使用",
    "禁止",
];

/// Beginnings of corrections, before the wanted alternative.
const CORRECTIONS: [&str; 15] = [
    "no, ",
    "no. ",
    "no - ",
    "no — ",
    "nope, ",
    "that's wrong",
    "that is wrong",
    "wrong, ",
    "not like that",
    "actually, ",
    "stop using ",
    "不对",
    "不是，",
    "错了",
    "不，",
];
const INSTEAD: [&str; 14] = [
    "use ", "should ", "instead", " it's ", " is ", "don't ", "do not ", "must ", "we use", "call ", "应该", "用",
    "改", "要",
];

const REMEMBER: [&str; 11] = [
    "remember that ",
    "remember: ",
    "keep in mind that ",
    "keep in mind: ",
    "note to self",
    "don't forget that ",
    "for future reference",
    "commit to memory",
    "please remember ",
    "记住",
    "请记住",
];

const TASKS: [&str; 8] = [
    "todo: ",
    "todo - ",
    "we still need to ",
    "remaining: ",
    "next step: ",
    "don't forget to ",
    "remember to ",
    "待办",
];

const CAUSES: [&str; 8] = [
    "the root cause is",
    "the root cause was",
    "root cause:",
    "the bug was caused by",
    "the failure was caused by",
    "this was caused by",
    "根本原因",
    "原因是",
];

/// Phrases that take back what was said.
const WITHDRAWN: [&str; 10] = [
    "never mind",
    "nevermind",
    "forget it",
    "forget that",
    "scratch that",
    "no wait",
    "on second thought",
    "just kidding",
    "算了",
    "当我没说",
];

/// Phrases of what holds only for the moment, or is what others say.
const PASSING: [&str; 31] = [
    "for now",
    "right now",
    "for the moment",
    "for today",
    "this time",
    "this once",
    "just once",
    "temporarily",
    "until i ",
    "until we ",
    "until tomorrow",
    "would have",
    "imagine",
    "suppose",
    "in theory",
    "used to",
    "says that",
    "says to",
    "says you",
    "say that",
    "say you",
    "told me",
    "recommends",
    "recommend",
    "according to",
    "i read",
    "i heard",
    "暂时",
    "这次",
    "先别",
    "据说",
];

/// Phrases that make a sentence a question, a condition or a report.
const DOUBTS: [&str; 22] = [
    "should we",
    "could we",
    "can we",
    "shall we",
    "would we",
    "do we",
    "did we",
    "why ",
    "what ",
    "how ",
    "if ",
    "whether ",
    "maybe",
    "perhaps",
    "might ",
    "he said",
    "she said",
    "they said",
    "for example",
    "what if",
    "吗",
    "是否",
];

/// The statements of a user.
pub(super) fn of_user(text: &str) -> Vec<Candidate> {
    let mut found = Vec::new();
    if has_any(&text.to_lowercase(), &WITHDRAWN) {
        return found;
    }
    found.extend(brief(text));
    for (at, sentence) in sentences(text).into_iter().enumerate() {
        let lower = sentence.to_lowercase().replace('’', "'");
        let is_question = sentence.ends_with(['?', '？']);
        let user =
            |fact_type, confidence, tag| Candidate::new(fact_type, sentence.to_owned(), Origin::User, confidence, tag);
        if is_question || has_any(&lower, &PASSING) {
            continue;
        }
        let is_doubtful = has_any(&lower, &DOUBTS);
        // A correction refers to the last action, so it has precedence.
        if at == 0 && starts_any(&lower, &CORRECTIONS) && has_any(&lower, &INSTEAD) && lower.len() > 12 {
            found.push(user(FactType::Rule, 0.8, "correction"));
        } else if starts_any(&lower, &REMEMBER) {
            found.push(user(FactType::Note, 1.0, "remember"));
        } else if starts_any(&lower, &TASKS) {
            found.push(user(FactType::Task, 0.8, "task"));
        } else if starts_any(&lower, &RULES) && !is_doubtful {
            found.push(user(FactType::Rule, 0.9, "rule"));
        } else if has_any(&lower, &PREFERENCES) && !is_doubtful {
            found.push(user(FactType::Preference, 0.9, "preference"));
        } else if has_any(&lower, &DECISIONS) && !is_doubtful {
            found.push(user(FactType::Decision, 0.9, "decision"));
        }
    }
    found
}

/// The description of a project that a user begins.
fn brief(text: &str) -> Option<Candidate> {
    let all = sentences(text);
    let pair = all.windows(2).find(|pair| {
        let [begins, says] = [0, 1].map(|at| pair[at].to_lowercase().replace('’', "'"));
        has_any(&begins, &BEGINNINGS) && !begins.ends_with(['?', '？']) && starts_any(&says, &WHAT_IT_IS)
    })?;
    let (first, second) = (pair.first()?, pair.get(1)?);
    Some(Candidate::new(FactType::ProjectBrief, format!("{first} {second}"), Origin::User, 0.8, "brief"))
}

/// The statements of an agent: decisions with a reason, and named causes.
pub(super) fn of_assistant(text: &str) -> Vec<Candidate> {
    let mut found = Vec::new();
    for sentence in sentences(text) {
        let lower = sentence.to_lowercase().replace('’', "'");
        if sentence.ends_with(['?', '？']) || has_any(&lower, &PASSING) {
            continue;
        }
        let agent = |fact_type, tag| Candidate::new(fact_type, sentence.to_owned(), Origin::Agent, 0.6, tag);
        if has_any(&lower, &AGENT_DECISIONS) && has_any(&lower, &REASONS) && !has_any(&lower, &DOUBTS[11..]) {
            found.push(agent(FactType::Decision, "decision"));
        } else if has_any(&lower, &CAUSES) && !has_any(&lower, &DOUBTS[10..]) {
            found.push(agent(FactType::Discovery, "cause"));
        }
    }
    found
}

fn starts_any(lower: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| lower.starts_with(phrase))
}

/// Whether the text has one of the phrases as whole words.
fn has_any(lower: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| {
        lower.match_indices(phrase).any(|(at, _)| {
            let is_word = |char: char| char.is_ascii_alphanumeric() || char == '_';
            let begins = phrase.starts_with(|char: char| !char.is_ascii()) || !lower[..at].ends_with(is_word);
            let after = &lower[at + phrase.len()..];
            begins && (!phrase.ends_with(is_word) || !after.starts_with(is_word))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(text: &str) -> Vec<(FactType, &'static str)> {
        of_user(text).iter().map(|found| (found.fact_type, found.tag)).collect()
    }

    #[test]
    fn people_state_what_they_want() {
        for (text, fact_type, tag) in [
            ("We decided to keep SQLite because it needs no server.", FactType::Decision, "decision"),
            ("Let's go with JWT in httpOnly cookies.", FactType::Decision, "decision"),
            ("I want to switch from Alembic to Aerich.", FactType::Decision, "decision"),
            ("We're moving away from REST for the async jobs.", FactType::Decision, "decision"),
            ("Every route gets the /api/v2 prefix going forward.", FactType::Decision, "decision"),
            ("We have a new project. It's a store for used books.", FactType::ProjectBrief, "brief"),
            ("I prefer small commits.", FactType::Preference, "preference"),
            ("Never commit generated files.", FactType::Rule, "rule"),
            ("Don't touch legacy/", FactType::Rule, "rule"),
            ("No, use pnpm instead of npm", FactType::Rule, "correction"),
            ("Remember that staging is on port 8081.", FactType::Note, "remember"),
            ("TODO: write the migration guide", FactType::Task, "task"),
            ("我们决定使用 PostgreSQL。", FactType::Decision, "decision"),
            ("不要用 SQLite。", FactType::Rule, "rule"),
        ] {
            assert_eq!(user(text), [(fact_type, tag)], "{text}");
        }
    }

    #[test]
    fn questions_conditions_and_code_state_nothing() {
        for text in [
            "Should we use Redis here?",
            "If we decided to drop it, what would break?",
            "```\nalways do this\n```",
            "Fix the login page",
            "I want to know why it fails.",
            "Is this the new project? It's a mess.",
            "yes",
            "no",
            "maybe we'll use Rust later",
            "The function never returns None in the tests that I read",
            "他问我们决定了吗？",
            "never mind the migration numbering for now, that worked.",
            "Never use the cache for now.",
            "Let's use the staging key, just this once.",
            "The docs say that you must never call it twice, we're using an old one.",
            "Always use tabs. No wait, forget it.",
            "暂时不要用缓存。",
        ] {
            assert_eq!(user(text), [], "{text}");
        }
    }

    #[test]
    fn agents_need_reasons() {
        assert_eq!(of_assistant("I'll use a B-tree because lookups are by range.").len(), 1);
        assert_eq!(of_assistant("The root cause was a missing await in fetch_user.").len(), 1);
        assert!(of_assistant("I'll use the Read tool now. We could use Redis because it is fast?").is_empty());
    }
}
