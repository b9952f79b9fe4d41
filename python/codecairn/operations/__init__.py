"""Operations: each is one function, from which command, tool, schema and documentation are made."""
