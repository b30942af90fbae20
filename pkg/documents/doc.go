// Package documents gives the text of documents: PDF, DOCX, HTML, Markdown, CSV, JSON and plain text.
//
// It promises:
//
//   - PDF, DOCX and HTML are parsed in a process of their own, in the sandbox of package
//     sandbox: this program itself in another role. It gets the bytes of one document as its
//     input, and can open no file and reach no network. It has [MaxTime] and [MaxMemory]. Where
//     there is no sandbox, these documents are refused with the reason. A document that waits
//     for its place is not read before it has one. The other formats are
//     text already, and only decoded.
//   - A text has its pages and headings where the format has them ([Section]). It has at most
//     [MaxText] bytes and [MaxPages] pages; a text that ends before its document says so in
//     [Document].Note.
//   - A document that cannot be read is an [Error] with one plain sentence: damaged, encrypted,
//     too large, or of no known format. No content of the document is in it.
//   - The content decides the format, the name only where several formats are text.
//
// The helper process begins in [Main], which must be called at the start of the program, behind
// sandbox.Main, and in the TestMain of tests that read PDF, DOCX or HTML.
//
// To add a format: add its [Kind], recognise it in Detect, write its reader as a function from
// bytes to a [Document] that adds to a [builder], which holds the bounds, and add it to parse.
package documents
