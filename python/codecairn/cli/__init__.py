"""The command line: it parses, asks an operation, and prints. No SQL, no scoring, no defaults of its own."""
