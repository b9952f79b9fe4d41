//! Lists the languages of queries, schemas and interface descriptions.

use super::row::{Language, code};

pub(super) const LANGUAGES: &[Language] = &[
    code("sql", "SQL", &["sql", "ddl", "dml", "psql", "pgsql", "mysql", "tsql", "hql"]).parsed().comment("--"),
    code("graphql", "GraphQL", &["graphql", "gql", "graphqls"]).parsed().comment("#"),
    code("proto", "Protocol Buffers", &["proto", "proto3"]).aliases(&["protobuf"]).parsed().comment("//"),
    code("thrift", "Thrift", &["thrift"]).comment("//"),
    code("capnp", "Cap'n Proto", &["capnp"]).comment("#"),
    code("flatbuffers", "FlatBuffers", &["fbs"]).comment("//"),
    code("avro", "Avro IDL", &["avdl"]).comment("//"),
    code("smithy", "Smithy", &["smithy"]).comment("//"),
    code("typespec", "TypeSpec", &["tsp"]).comment("//"),
    code("wit", "WebAssembly interface types", &["wit"]).comment("//"),
    code("webidl", "Web IDL", &["webidl", "widl"]).comment("//"),
    code("idl", "Interface definition", &["idl", "odl"]).comment("//"),
    code("asn1", "ASN.1", &["asn", "asn1"]).comment("--"),
    code("yang", "YANG", &["yang"]).comment("//"),
    code("prisma", "Prisma", &["prisma"]).comment("//"),
    code("dbml", "DBML", &["dbml"]).comment("//"),
    code("rego", "Rego", &["rego"]).comment("#"),
    code("cypher", "Cypher", &["cypher", "cyp", "cql"]).comment("//"),
    code("sparql", "SPARQL", &["sparql", "rq"]).comment("#"),
    code("xquery", "XQuery", &["xquery", "xq", "xqm", "xqy"]),
    code("antlr", "ANTLR", &["g4", "g3"]).comment("//"),
    code("yacc", "Yacc", &["y", "yy", "ypp"]).comment("//"),
    code("lex", "Lex", &["l", "lpp"]).comment("//"),
    code("peg", "Parsing expression grammar", &["peg", "pegjs", "pest", "lark"]).comment("//"),
    code("bnf", "Backus-Naur form", &["bnf", "ebnf", "abnf"]).comment(";"),
];
