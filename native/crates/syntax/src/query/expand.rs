//! Expands forms to plain patterns: choices and optional children are multiplied out, so that the matcher needs
//! neither.

use super::error::QueryError;
use super::form::{Form, KindName, NodeForm, Shape};

/// A pattern without choices between structures.
#[derive(Debug, Clone)]
pub(super) struct Plain {
    /// The kinds that fit; none means any named node.
    pub(super) kinds: Vec<KindName>,
    pub(super) field: Option<String>,
    pub(super) negated_fields: Vec<String>,
    pub(super) captures: Vec<String>,
    pub(super) children: Vec<Self>,
    pub(super) anchored: bool,
    pub(super) closed: bool,
    pub(super) at: usize,
}

/// More variants of one pattern than this are a mistake in the query.
const MAX_VARIANTS: usize = 200;

/// The variants of a pattern, the fullest first.
pub(super) fn expand(text: &str, form: &Form) -> Result<Vec<Plain>, QueryError> {
    let variants = match &form.shape {
        Shape::Node(node) => expand_node(text, form, node)?,
        Shape::Choice(alternatives) => match leaf_set(alternatives) {
            Some((kinds, captures)) => vec![plain(form, kinds, captures)],
            None => expand_choice(text, form, alternatives)?,
        },
    };
    if variants.len() > MAX_VARIANTS {
        return Err(QueryError::at(text, form.at, format!("more than {MAX_VARIANTS} variants")));
    }
    Ok(variants)
}

fn expand_choice(text: &str, form: &Form, alternatives: &[Form]) -> Result<Vec<Plain>, QueryError> {
    let mut variants = Vec::new();
    for alternative in alternatives {
        if alternative.optional {
            return Err(QueryError::at(text, alternative.at, "an optional alternative; put the `?` behind the choice"));
        }
        for mut variant in expand(text, alternative)? {
            if form.field.is_some() {
                if variant.field.is_some() {
                    return Err(QueryError::at(text, alternative.at, "a field inside a choice that has a field"));
                }
                variant.field.clone_from(&form.field);
            }
            variant.captures.extend(form.captures.iter().cloned());
            variant.anchored |= form.anchored;
            variants.push(variant);
        }
    }
    Ok(variants)
}

fn expand_node(text: &str, form: &Form, node: &NodeForm) -> Result<Vec<Plain>, QueryError> {
    let mut own = plain(form, node.kinds.clone(), &[]);
    own.negated_fields.clone_from(&node.negated_fields);
    own.closed = node.closed;
    let mut variants = vec![own];
    for child in &node.children {
        let child_variants = expand(text, child)?;
        let mut longer = Vec::with_capacity(variants.len() * (child_variants.len() + 1));
        for variant in &variants {
            for child_variant in &child_variants {
                let mut with = variant.clone();
                with.children.push(child_variant.clone());
                longer.push(with);
            }
            if child.optional {
                longer.push(variant.clone());
            }
        }
        if longer.len() > MAX_VARIANTS {
            return Err(QueryError::at(text, child.at, format!("more than {MAX_VARIANTS} variants")));
        }
        variants = longer;
    }
    Ok(variants)
}

/// The kinds of a choice between nodes that differ in nothing but their kind, with what each of them captures.
fn leaf_set(alternatives: &[Form]) -> Option<(Vec<KindName>, &[String])> {
    let mut kinds = Vec::new();
    let captures = &alternatives.first()?.captures;
    for alternative in alternatives {
        let Shape::Node(node) = &alternative.shape else { return None };
        let is_leaf = node.children.is_empty() && node.negated_fields.is_empty() && !node.closed;
        let is_same = &alternative.captures == captures && alternative.field.is_none() && !alternative.optional;
        if !is_leaf || !is_same || node.kinds.len() != 1 {
            return None;
        }
        kinds.extend(node.kinds.iter().cloned());
    }
    Some((kinds, captures))
}

fn plain(form: &Form, kinds: Vec<KindName>, inner: &[String]) -> Plain {
    Plain {
        kinds,
        field: form.field.clone(),
        negated_fields: Vec::new(),
        captures: inner.iter().chain(&form.captures).cloned().collect(),
        children: Vec::new(),
        anchored: form.anchored,
        closed: false,
        at: form.at,
    }
}
