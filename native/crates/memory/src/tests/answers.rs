//! What answers a prompt: by its best sentence, in every language, and never the question itself.

use super::*;

const LONG: &str = "The export of large invoices times out on staging since yesterday. I looked at the worker's log and it dies \
    after ninety seconds, always in the step that renders the PDF. Please move the rendering to a queue and keep the old \
    route for small ones. Which queue broker do we use for invoices? Add a test as well, and tell me what you changed.";

fn remembered() -> (Home, Memory) {
    let (home, memory) = Home::new().open_kept();
    memory.record(prompt("a", "Which queue broker do we use for invoices?")).unwrap();
    memory
        .record(answer("a", "For invoices the queue broker is RabbitMQ, because the accountants run it already."))
        .unwrap();
    memory.record(command("a", "rabbitmqctl list_queues", "queue broker invoices 15", 0)).unwrap();
    for number in 0..20 {
        memory.record(answer("b", &format!("Renamed the colour of button number {number} in the toolbar."))).unwrap();
    }
    (home, memory)
}

fn answers(memory: &Memory, prompt: &str, least: f32) -> Vec<String> {
    let options = RecallOptions { least_evidence: least, ..everything(4) };
    let found = memory.answers(prompt, &options).unwrap();
    assert!(found.is_sorted_by(|left, right| left.likelihood >= right.likelihood));
    found.into_iter().map(|answer| answer.sentence).collect()
}

#[test]
fn a_question_is_answered_by_talk_and_not_by_itself_nor_by_what_a_tool_printed() {
    let (_home, memory) = remembered();
    for prompt in ["Which queue broker do we use for invoices?", "what queue broker do the invoices use"] {
        let found = answers(&memory, prompt, 0.3);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("RabbitMQ"), "{found:?}");
    }
}

#[test]
fn a_long_prompt_is_answered_by_the_sentence_that_asks() {
    let (_home, memory) = remembered();
    assert!(answers(&memory, LONG, 0.0)[0].contains("RabbitMQ"));
}

#[test]
fn a_question_in_another_language_finds_what_is_in_english() {
    let (_home, memory) = remembered();
    memory.add(told("The password of the printer is kept in the safe", FactType::Note)).unwrap();
    assert!(answers(&memory, "¿Dónde se guarda la contraseña de la impresora?", 0.0)[0].contains("printer"));
}

#[test]
fn what_nothing_is_known_of_has_no_answer() {
    let (_home, memory) = remembered();
    for prompt in ["Rename this variable to total", "explain how this regular expression works", "?!", ""] {
        assert_eq!(answers(&memory, prompt, 0.4), [""; 0], "{prompt}");
    }
}

#[test]
fn likelihoods_are_probabilities_with_all_features() {
    let (_home, memory) = remembered();
    let found = memory.answers("Which queue broker is it?", &everything(10)).unwrap();
    assert!(!found.is_empty());
    for answer in found {
        assert!((0.0..=1.0).contains(&answer.likelihood));
        assert!(answer.features.values().all(|value| value.is_finite()), "{:?}", answer.features);
    }
}
