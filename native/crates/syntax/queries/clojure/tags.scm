; A definition is a list whose first symbol defines.
(list_lit
  .
  (sym_lit) @_def
  .
  (sym_lit name: (sym_name) @name)
  (#any-of? @_def "defn" "defn-" "defmacro" "defmulti" "defmethod" "deftest" "definline")) @definition.function
(list_lit
  .
  (sym_lit) @_def
  .
  (sym_lit name: (sym_name) @name)
  (#any-of? @_def "def" "defonce")) @definition.constant
(list_lit . (sym_lit) @_def . (sym_lit name: (sym_name) @name) (#eq? @_def "ns")) @definition.module
(list_lit
  .
  (sym_lit) @_def
  .
  (sym_lit name: (sym_name) @name)
  (#any-of? @_def "defprotocol" "definterface")) @definition.interface
(list_lit . (sym_lit) @_def . (sym_lit name: (sym_name) @name) (#eq? @_def "defrecord")) @definition.struct
(list_lit . (sym_lit) @_def . (sym_lit name: (sym_name) @name) (#eq? @_def "deftype")) @definition.class
(list_lit . (sym_lit) @_def . (kwd_lit name: (kwd_name) @name) (#any-of? @_def "s/def" "spec/def")) @definition.type

; Members: methods and fields.
(list_lit
  .
  (sym_lit) @_def
  (list_lit . (sym_lit name: (sym_name) @name) . (vec_lit)) @definition.function
  (#any-of? @_def "defrecord" "deftype" "defprotocol" "definterface" "extend-type" "extend-protocol"))
(list_lit
  .
  (sym_lit) @_def
  .
  (sym_lit)
  .
  (vec_lit (sym_lit name: (sym_name) @name @definition.constant))
  (#any-of? @_def "defrecord" "deftype"))

; Protocols that are served.
(list_lit . (sym_lit) @_def . (sym_lit) . (vec_lit) (sym_lit) @implement (#any-of? @_def "defrecord" "deftype"))
(list_lit . (sym_lit) @_def . (sym_lit) (sym_lit) @implement (#eq? @_def "extend-type"))

; Construction: `(Class. …)` and `(new Class …)`.
(list_lit . (sym_lit name: (sym_name) @name (#match? @name "[.]$"))) @reference.construct
(list_lit . (sym_lit) @_new . (sym_lit name: (sym_name) @name) (#eq? @_new "new")) @reference.construct

; Calls: any other list that begins with a symbol.
(list_lit . (sym_lit namespace: (sym_ns) @receiver name: (sym_name) @name)) @reference.call
(list_lit
  .
  (sym_lit name: (sym_name) @name)
  (#not-any-of? @name
    "def" "defn" "defn-" "defmacro" "defmulti" "defmethod" "deftest" "definline" "defonce" "defprotocol" "definterface"
    "defrecord" "deftype" "declare" "ns" "comment" "extend-type" "extend-protocol" "fn" "let" "if" "if-not" "if-let"
    "when" "when-not" "when-let" "cond" "condp" "case" "do" "loop" "recur" "for" "doseq" "quote" "var" "try" "catch"
    "finally" "throw" "->" "->>" "and" "or" "is" "testing")) @reference.call

; Imports: `[module :as alias :refer [names]]` and `(package Class …)`.
(list_lit
  .
  (kwd_lit) @_require
  (vec_lit . (sym_lit) @source (kwd_lit) @_as . (sym_lit) @import.alias)
  (#any-of? @_require ":require" ":require-macros")
  (#any-of? @_as ":as" ":as-alias")) @import
(list_lit
  .
  (kwd_lit) @_require
  (vec_lit . (sym_lit) @source (kwd_lit) @_refer . (vec_lit (sym_lit) @import.name))
  (#any-of? @_require ":require" ":use" ":require-macros")
  (#any-of? @_refer ":refer" ":only" ":refer-macros")) @import
(list_lit
  .
  (kwd_lit) @_require
  [
    (sym_lit) @source
    (vec_lit . (sym_lit) @source)
  ]
  (#any-of? @_require ":require" ":use" ":require-macros")) @import
(list_lit
  .
  (kwd_lit) @_import
  [
    (list_lit . (sym_lit) @source (sym_lit) @import.name)
    (vec_lit . (sym_lit) @source (sym_lit) @import.name)
  ]
  (#eq? @_import ":import")) @import
(list_lit . (kwd_lit) @_import (sym_lit) @source (#eq? @_import ":import")) @import
