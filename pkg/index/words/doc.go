// Package words turns a text into the terms of an index: what a search compares.
//
// A term is a word in small letters, without accents, and without its ending where Snowball has a
// stemmer for the language. Words are those of Unicode (UAX 29). Of an identifier or a name with
// signs, like open_memstream, resolv.conf or getHTTPServer, the whole is a term and so are its parts; the
// whole of one with capitals inside has the term of its spelling in small letters. A script that puts no
// space between words gives pairs of letters, also in a word with other letters, such as PDF로.
//
// It promises that a text gives the same terms each time, that the terms of a word do not depend on
// the words around it, and that no text makes it panic. Other terms for the same words need another
// form of the file of [parley/pkg/index]. To add a language, add its row to the table, at the end: the
// numbers of languages are stored.
package words
