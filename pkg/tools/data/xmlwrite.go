package data

import (
	"strings"
)

// layoutXML lays a document out anew, comments and mixed text included.
func layoutXML(text string, o options) (string, error) {
	nodes, err := parseXML(text)
	if err != nil {
		return "", err
	}
	w := &xmlWriter{indent: strings.Repeat(" ", o.indent)}
	for i, n := range nodes {
		if i > 0 {
			w.put("\n")
		}
		if err := w.element(n, w.breakLine()); err != nil {
			return "", err
		}
	}
	return w.done()
}

// writeXML writes an object of one key as that element, anything else within <root>.
func writeXML(v *value, o options) (string, error) {
	name := "root"
	if v.kind == kindObject && len(v.fields) == 1 && v.fields[0].value.kind != kindList &&
		!strings.HasPrefix(v.fields[0].name, "@") && v.fields[0].name != "#text" {
		name, v = v.fields[0].name, v.fields[0].value
	}
	root, err := elementOf(name, v)
	if err != nil {
		return "", err
	}
	w := &xmlWriter{indent: strings.Repeat(" ", o.indent)}
	if err := w.element(root, w.breakLine()); err != nil {
		return "", err
	}
	return w.done()
}

var xmlName = compiled(`^[\pL_][\pL\pN_.-]*(?::[\pL_][\pL\pN_.-]*)?$`) //nolint:gochecknoglobals // compiled once

// elementOf makes an element of a value; a list without names of its own has elements "item".
func elementOf(name string, v *value) (*element, error) {
	if !xmlName().MatchString(name) {
		return nil, wrong(0, 0, "%s cannot be the name of an XML element", shorten(name))
	}
	e := &element{name: name}
	switch v.kind {
	case kindList:
		if err := e.add("item", v); err != nil {
			return nil, err
		}
	case kindObject:
		for _, f := range v.fields {
			if err := e.field(f); err != nil {
				return nil, err
			}
		}
	case kindNull:
	case kindBool, kindNumber, kindText:
		e.nodes = []*element{{raw: v.text, text: true}}
	}
	return e, nil
}

// field takes over one key of an object.
func (e *element) field(f field) error {
	attribute, isAttribute := strings.CutPrefix(f.name, "@")
	switch {
	case (isAttribute || f.name == "#text") && !f.value.plain():
		return wrong(0, 0, "%s must be a single value to become XML", shorten(f.name))
	case isAttribute:
		if !xmlName().MatchString(attribute) {
			return wrong(0, 0, "%s cannot be the name of an XML attribute", shorten(attribute))
		}
		e.attrs = append(e.attrs, field{attribute, f.value})
	case f.name == "#text":
		e.nodes = append(e.nodes, &element{raw: textOf(f.value), text: true})
	case f.value.kind == kindList:
		return e.add(f.name, f.value)
	default:
		return e.add(f.name, list([]*value{f.value}))
	}
	return nil
}

func (e *element) add(name string, items *value) error {
	for _, item := range items.items {
		child, err := elementOf(name, item)
		if err != nil {
			return err
		}
		e.nodes = append(e.nodes, child)
	}
	return nil
}

func textOf(v *value) string {
	if v.kind == kindNull {
		return ""
	}
	return v.text
}

type xmlWriter struct {
	output

	indent string
}

func (w *xmlWriter) breakLine() string {
	if w.indent == "" {
		return ""
	}
	return "\n"
}

// element writes one node. An element that holds text is written on one line, with
// all that is in it: a space more would change the text.
func (w *xmlWriter) element(e *element, newline string) error {
	if err := w.full(); err != nil {
		return err
	}
	if e.text {
		return w.escaped(e.raw, textEscapes)
	}
	if e.name == "" {
		w.put(e.raw)
		return nil
	}
	w.put("<" + e.name)
	for _, a := range e.attrs {
		w.put(" " + a.name + `="`)
		if err := w.escaped(textOf(a.value), attributeEscapes); err != nil {
			return err
		}
		w.put(`"`)
	}
	nodes := e.content()
	if len(nodes) == 0 {
		w.put("/>")
		return nil
	}
	w.put(">")
	inner := newline + w.indent
	if newline == "" || hasText(nodes) {
		newline, inner = "", ""
	}
	for _, n := range nodes {
		w.put(inner)
		if err := w.element(n, inner); err != nil {
			return err
		}
	}
	w.put(newline + "</" + e.name + ">")
	return nil
}

// content is the content of e, without the spaces that only lay it out.
func (e *element) content() []*element {
	elements := false
	for _, n := range e.nodes {
		if n.text && strings.TrimSpace(n.raw) != "" {
			return e.nodes
		}
		elements = elements || !n.text
	}
	if !elements {
		return withoutEmpty(e.nodes)
	}
	var nodes []*element
	for _, n := range e.nodes {
		if !n.text {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

func withoutEmpty(nodes []*element) []*element {
	if len(nodes) == 1 && nodes[0].raw == "" {
		return nil
	}
	return nodes
}

func hasText(nodes []*element) bool {
	for _, n := range nodes {
		if n.text {
			return true
		}
	}
	return false
}

const (
	textEscapes      = "&<>\r"
	attributeEscapes = textEscapes + "\"\n\t"
)

// escaped writes a text; a character that XML cannot hold is refused.
func (w *xmlWriter) escaped(s, special string) error {
	names := map[rune]string{'&': "&amp;", '<': "&lt;", '>': "&gt;", '"': "&quot;", '\r': "&#13;", '\n': "&#10;", '\t': "&#9;"}
	for _, r := range s {
		switch {
		case r < ' ' && r != '\n' && r != '\t' && r != '\r', r == 0xfffe, r == 0xffff:
			return wrong(0, 0, "XML cannot hold the character U+%04X", r)
		case strings.ContainsRune(special, r):
			w.put(names[r])
		default:
			w.put(string(r))
		}
	}
	return nil
}
