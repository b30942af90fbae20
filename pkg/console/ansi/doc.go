// Package ansi writes texts for a terminal: Markdown as people read it, and lines that the console
// makes itself, with the colours that the terminal has.
//
// It promises:
//
//   - A text never controls the terminal. Each one is made visible where it enters a [Line], with
//     the rules of the plain console, and no other package writes a text; a link leads to the web
//     or to mail alone.
//   - No line is wider than asked for, from [MinWidth] columns on.
//   - The time is linear in the length of the text, as that of package markdown.
//   - No text is lost but the characters that package markdown removes.
//
// To add a language of code, add its row to the table in languages.go.
package ansi
