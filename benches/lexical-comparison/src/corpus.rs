//! Source files cut into windows, with rough names and comments, the same for every engine.

use std::path::{Path, PathBuf};

/// Lines of a chunk.
const WINDOW: usize = 30;
const EXTENSIONS: [&str; 9] = ["py", "rb", "rs", "zig", "php", "go", "js", "ts", "c"];
const DEFINING: [&str; 9] = ["def", "class", "fn", "function", "struct", "enum", "trait", "module", "interface"];

/// One window of a file.
pub struct Chunk {
    pub text: String,
    /// Words after a keyword that defines.
    pub names: Vec<String>,
    /// Byte ranges of lines that begin as a comment does.
    pub comments: Vec<(usize, usize)>,
}

impl Chunk {
    fn of(lines: &[&str]) -> Self {
        let (mut text, mut names, mut comments) = (String::new(), Vec::new(), Vec::new());
        for line in lines {
            let start = text.len();
            text.push_str(line);
            let trimmed = line.trim_start();
            if ["#", "//", "*", "/*"].iter().any(|mark| trimmed.starts_with(mark)) {
                comments.push((start, text.len()));
            }
            let mut words =
                trimmed.split(|char: char| !char.is_alphanumeric() && char != '_').filter(|word| !word.is_empty());
            while let Some(word) = words.next() {
                if DEFINING.contains(&word) {
                    names.extend(words.next().map(str::to_owned));
                }
            }
        }
        Self { text, names, comments }
    }

    /// The comment lines as one text.
    pub fn comment_text(&self) -> String {
        self.comments.iter().map(|&(start, end)| &self.text[start..end]).collect()
    }
}

/// At most `limit` chunks of the files below `folders`, file by file in order of folder and path.
pub fn read(folders: &[PathBuf], limit: usize) -> Vec<Vec<Chunk>> {
    let mut files = Vec::new();
    for folder in folders {
        let mut of_folder = Vec::new();
        find(folder, &mut of_folder);
        of_folder.sort();
        files.extend(of_folder);
    }
    let (mut chunks, mut count) = (Vec::new(), 0);
    for file in files {
        let bytes = std::fs::read(&file).expect("a file that was listed can be read");
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let of_file: Vec<Chunk> = lines.chunks(WINDOW).take(limit - count).map(Chunk::of).collect();
        count += of_file.len();
        chunks.push(of_file);
    }
    chunks
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("a folder that can be read");
    for entry in entries {
        let path = entry.expect("a folder that can be read").path();
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            find(&path, files);
        } else if path.extension().and_then(|end| end.to_str()).is_some_and(|end| EXTENSIONS.contains(&end)) {
            files.push(path);
        }
    }
}

/// The first `limit` queries of several words, spread over the annotation files.
pub fn queries(folder: &Path, limit: usize) -> Vec<String> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("a folder of annotations")
        .map(|entry| entry.expect("a folder that can be read").path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    paths.sort();
    let lists: Vec<Vec<String>> = paths.iter().map(|path| read_queries(path)).collect();
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    (0..longest).flat_map(|at| lists.iter().filter_map(move |list| list.get(at).cloned())).take(limit).collect()
}

fn read_queries(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("annotations can be read");
    let entries: Vec<serde_json::Value> = serde_json::from_str(&text).expect("annotations are a list");
    let queries = entries.iter().filter_map(|entry| entry["query"].as_str());
    queries.filter(|query| query.contains(' ')).map(str::to_owned).collect()
}
