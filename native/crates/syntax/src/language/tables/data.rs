//! Lists the formats of data that happens to be text.

use super::row::{Language, values};

pub(super) const LANGUAGES: &[Language] = &[
    values("csv", "CSV", &["csv"]),
    values("tsv", "TSV", &["tsv", "tab"]),
    values("svg", "SVG", &["svg"]).grammar("xml"),
    values("jupyter", "Jupyter notebook", &["ipynb"]).grammar("json"),
    values("geojson", "GeoJSON", &["geojson", "topojson"]).grammar("json"),
    values("turtle", "RDF", &["ttl", "nt", "nq", "n3", "owl", "rdf"]).comment("#"),
    values("diff", "Diff", &["diff", "patch", "rej"]),
    values("log", "Log", &["log"]),
    values("subtitles", "Subtitles", &["srt", "vtt", "ass"]),
    values("snapshot", "Test snapshot", &["snap", "ambr", "approved", "golden"]),
    values("unity", "Unity asset", &["unity", "prefab", "asset", "mat", "anim", "controller", "meta"]).grammar("yaml"),
    values("mesh", "3D model", &["obj", "mtl", "ply", "stl", "off", "gltf", "dae", "vtk"]),
    values("gcode", "G-code", &["gcode", "nc"]).comment(";"),
    values("genome", "Sequence data", &["fasta", "fa", "fastq", "fq", "vcf", "sam", "gff", "gtf"]),
    values("bibtex", "BibTeX", &["bib", "ris"]).comment("%"),
    values("xpm", "Pixmap", &["xpm", "xbm", "pbm", "pgm", "ppm"]),
    values("pem", "Certificate", &["crt", "csr", "asc"]),
];
