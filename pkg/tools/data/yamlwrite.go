package data

import (
	"fmt"
	"strings"
	"unicode"
)

// writeYAML lays v out in blocks.
func writeYAML(v *value) (string, error) {
	var w yamlWriter
	if err := w.block(v, ""); err != nil {
		return "", err
	}
	text, err := w.done()
	return strings.TrimSuffix(text, "\n"), err
}

type yamlWriter struct{ output }

// block writes v and a line break; the first line begins where the writer stands,
// the others with the indent.
func (w *yamlWriter) block(v *value, indent string) error {
	if err := w.full(); err != nil {
		return err
	}
	if inline(v) {
		w.put(yamlScalar(v))
		w.put("\n")
		return nil
	}
	for i, item := range v.items {
		if i > 0 {
			w.put(indent)
		}
		w.put("- ")
		if err := w.block(item, indent+"  "); err != nil {
			return err
		}
	}
	for i, f := range v.fields {
		if i > 0 {
			w.put(indent)
		}
		w.put(yamlText(f.name))
		w.put(":")
		deeper := indent + "  "
		if inline(f.value) {
			w.put(" ")
		} else {
			w.put("\n" + deeper)
		}
		if err := w.block(f.value, deeper); err != nil {
			return err
		}
	}
	return nil
}

// inline says whether v fits behind its key.
func inline(v *value) bool { return v.plain() || len(v.items)+len(v.fields) == 0 }

func yamlScalar(v *value) string {
	switch v.kind {
	case kindText:
		return yamlText(v.text)
	case kindList:
		return "[]"
	case kindObject:
		return "{}"
	default:
		return v.text
	}
}

var (
	// A text that needs no quotes begins with a letter, and has no character with a
	// meaning.
	yamlWord = compiled(`^\pL[\pL\pN_./+-]*(?: [\pL\pN_./+-]+)*$`) //nolint:gochecknoglobals // compiled once
	// Words that some reader takes for another type than a text.
	yamlTaken = compiled(`^(?i:null|true|false|yes|no|on|off|y|n|nan|inf)$`) //nolint:gochecknoglobals // compiled once
)

// yamlText is s as it is where no reader can take it for anything else, or in quotes.
func yamlText(s string) string {
	if yamlWord().MatchString(s) && !yamlTaken().MatchString(s) {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == ' ' || unicode.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
