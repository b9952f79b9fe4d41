//! Random publications on random branches, against a plain map of maps.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

type Model = BTreeMap<String, BTreeMap<String, String>>;

#[derive(Debug, Clone)]
enum Step {
    /// On a branch, possibly new and then starting from another: files set or removed.
    Publish {
        branch: u8,
        base: Option<u8>,
        files: Vec<(u8, Option<u8>)>,
    },
    Remove {
        branch: u8,
    },
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    let files = proptest::collection::vec((0u8..12, proptest::option::weighted(0.7, 0u8..6)), 0..8);
    prop_oneof![
        8 => (0u8..5, proptest::option::of(0u8..5), files)
            .prop_map(|(branch, base, files)| Step::Publish { branch, base, files }),
        1 => (0u8..5).prop_map(|branch| Step::Remove { branch }),
        1 => Just(Step::Reopen),
    ]
}

fn branch_name(number: u8) -> String {
    format!("branch-{number}")
}

fn apply(fixture: &mut Fixture, model: &mut Model, step: &Step) {
    match step {
        Step::Reopen => fixture.store = open(&fixture.path()).unwrap(),
        Step::Remove { branch } => {
            let gone = MissingRefs { branches: vec![branch_name(*branch)], ..MissingRefs::default() };
            let known = fixture.lock().collect(&gone, false).unwrap().branches == 1;
            assert_eq!(known, model.remove(&branch_name(*branch)).is_some());
        }
        Step::Publish { branch, base, files } => {
            let base = base.map(branch_name).filter(|base| model.contains_key(base));
            let start = base.as_ref().map(|base| model[base].clone()).unwrap_or_default();
            let catalog = model.entry(branch_name(*branch)).or_insert(start);
            let texts: BTreeMap<String, Option<String>> = files
                .iter()
                .map(|(path, text)| (format!("dir/{path}"), text.map(|text| format!("text {text}\n"))))
                .collect();
            for (path, text) in &texts {
                match text {
                    Some(text) => catalog.insert(path.clone(), text.clone()),
                    None => catalog.remove(path),
                };
            }
            let files: Vec<_> = texts.iter().map(|(path, text)| (path.as_str(), text.as_deref())).collect();
            publish(&mut fixture.lock(), &branch_name(*branch), base.as_deref(), &files);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn store_equals_its_model(steps in proptest::collection::vec(step(), 1..40)) {
        let mut fixture = Fixture::new();
        let mut model = Model::new();
        let mut generation = Generation(0);
        for step in &steps {
            apply(&mut fixture, &mut model, step);
            let now = fixture.read().generation();
            prop_assert!(now >= generation);
            generation = now;
        }
        let names: Vec<String> =
            fixture.read().branches().unwrap().into_iter().map(|branch| branch.name).collect();
        prop_assert_eq!(&names, &model.keys().cloned().collect::<Vec<_>>());
        for (name, catalog) in &model {
            prop_assert_eq!(fixture.texts(name), catalog.clone().into_iter().collect::<Vec<_>>());
        }
    }
}
