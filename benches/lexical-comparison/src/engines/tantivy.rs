//! tantivy: English stems over simple words in three fields, frequencies without positions, nothing stored.

use std::path::Path;

use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{Language, LowerCaser, RemoveLongFilter, SimpleTokenizer, Stemmer, TextAnalyzer};
use tantivy::{Index, IndexReader, IndexSettings, Term, doc};

use super::{Engine, plain_words};
use crate::corpus::Chunk;

/// What its one writing thread may use before it flushes: the default of its examples.
const WRITER_BYTES: usize = 50_000_000;

/// An open index.
pub struct Tantivy {
    reader: IndexReader,
    fields: [Field; 3],
    analyzer: TextAnalyzer,
}

impl Tantivy {
    pub fn build(folder: &Path, files: &[Vec<Chunk>]) -> Self {
        let indexing =
            TextFieldIndexing::default().set_tokenizer("english").set_index_option(IndexRecordOption::WithFreqs);
        let options = TextOptions::default().set_indexing_options(indexing);
        let mut schema = Schema::builder();
        let fields = ["body", "names", "comments"].map(|name| schema.add_text_field(name, options.clone()));
        let settings = IndexSettings::default();
        let directory = tantivy::directory::MmapDirectory::open(folder).expect("a folder");
        let index = Index::create(directory, schema.build(), settings).expect("a new index");
        let analyzer = TextAnalyzer::builder(SimpleTokenizer::default())
            .filter(RemoveLongFilter::limit(64))
            .filter(LowerCaser)
            .filter(Stemmer::new(Language::English))
            .build();
        index.tokenizers().register("english", analyzer.clone());
        let mut writer = index.writer_with_num_threads(1, WRITER_BYTES).expect("a writer");
        for chunk in files.iter().flatten() {
            writer
                .add_document(doc!(
                    fields[0] => chunk.text.as_str(),
                    fields[1] => chunk.names.join(" "),
                    fields[2] => chunk.comment_text(),
                ))
                .expect("a document");
        }
        writer.commit().expect("a commit");
        let segments = index.searchable_segment_ids().expect("segments");
        writer.merge(&segments).wait().expect("a merge");
        writer.garbage_collect_files().wait().expect("no files left behind");
        writer.wait_merging_threads().expect("no merge left");
        Self { reader: index.reader().expect("a reader"), fields, analyzer }
    }
}

impl Engine for Tantivy {
    fn search(&self, query: &str, limit: usize) -> Vec<u32> {
        let mut analyzer = self.analyzer.clone();
        let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        for word in plain_words(query) {
            let mut tokens = analyzer.token_stream(&word);
            tokens.process(&mut |token| {
                for field in self.fields {
                    let term = Term::from_field_text(field, &token.text);
                    clauses.push((Occur::Should, Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs))));
                }
            });
        }
        let searcher = self.reader.searcher();
        let top = searcher
            .search(&BooleanQuery::new(clauses), &TopDocs::with_limit(limit).order_by_score())
            .expect("a query");
        top.into_iter().map(|(_, address)| address.doc_id).collect()
    }
}
