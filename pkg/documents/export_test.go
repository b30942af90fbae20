package documents

// Parse parses a document in the process of the test.
func Parse(kind Kind, data []byte) (*Document, error) { return parse(kind, data) }
