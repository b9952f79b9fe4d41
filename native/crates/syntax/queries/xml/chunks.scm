; Elements by the name that a child gives them (Maven), wherever they stand.
(element
  (content (element (STag (Name) @_child) (content . (CharData) @name .)))
  (#any-of? @_child "artifactId" "id" "name")) @section

; Two levels below the root: elements named by an attribute, else those with elements inside.
(document
  root: (element
    (content
      (element
        [
          (STag (Attribute (Name) @_attribute (AttValue) @name))
          (EmptyElemTag (Attribute (Name) @_attribute (AttValue) @name))
        ]) @section))
  (#any-of? @_attribute "id" "name" "Name" "x:Name" "android:id" "android:name"))
(document
  root: (element (content (element (STag (Name) @name) (content (element))) @section)))
(document
  root: (element
    (content
      (element
        (content
          (element
            [
              (STag (Attribute (Name) @_attribute (AttValue) @name))
              (EmptyElemTag (Attribute (Name) @_attribute (AttValue) @name))
            ]) @section))))
  (#any-of? @_attribute "id" "name" "Name" "x:Name" "android:id" "android:name"))
(document
  root: (element (content (element (content (element (content (element))) @section)))))

(Comment) @comment
