; A definition is a list whose first symbol defines.
(list_lit
  .
  (sym_lit) @_def
  (#any-of? @_def
    "defn" "defn-" "defmacro" "defmulti" "defmethod" "deftest" "definline" "s/fdef" "comment")) @unit
(list_lit
  .
  (sym_lit) @_def
  (list_lit . (sym_lit) . (vec_lit)) @unit
  (#any-of? @_def "defrecord" "deftype" "extend-type" "extend-protocol"))

(list_lit . (sym_lit) @_def . (sym_lit) @scope (#eq? @_def "extend-type")) @container
(list_lit
  .
  (sym_lit) @_def
  (#any-of? @_def "defrecord" "deftype" "defprotocol" "definterface" "extend-protocol")) @container

(comment) @comment
; Documentation strings.
(list_lit
  .
  (sym_lit) @_def
  .
  (sym_lit)
  .
  (str_lit) @comment
  (#any-of? @_def "ns" "defn" "defn-" "defmacro" "defmulti" "defprotocol"))
