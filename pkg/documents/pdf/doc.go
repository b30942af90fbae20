// Package pdf reads the text of PDF files.
//
// It promises that it takes any bytes: there is no panic, each loop of the file is seen, nesting is
// bounded by maxNesting, a decompressed stream by maxStream, all of them together by maxDecoded, and the
// operators of a file by maxOperators. [Read] gives the text page by page, so that a reader can stop
// whenever it has enough. A damaged table of objects is replaced by a search for the objects.
//
// The text comes from the glyphs in the order in which the pages draw them: a font gives a glyph its
// characters (by its ToUnicode map, or by the names in its encoding or its font program), its matrix a
// place, and words and lines are made from these places.
//
// It does not read encrypted files, scanned pages, forms' values and annotations. Text in fonts of
// the predefined character sets for Chinese, Japanese and Korean needs a ToUnicode map.
package pdf
