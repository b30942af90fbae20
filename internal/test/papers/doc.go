// Package papers makes small PDF and DOCX files for tests.
//
// It promises files that other programs can open: a PDF with one page for each text, in a standard font, and a
// DOCX with one paragraph for each text. A [File] may be built by hand, object by object, also a damaged one.
package papers
