package data

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// readJSON reads one value. It does not recurse into the text's nesting before it has counted it.
func readJSON(text string) (*value, error) {
	r := &jsonReader{text: text, dec: json.NewDecoder(strings.NewReader(text))}
	r.dec.UseNumber()
	v, err := r.value(1)
	if err != nil {
		return nil, err
	}
	end := int(r.dec.InputOffset())
	if rest := strings.TrimLeft(text[end:], " \t\r\n"); rest != "" {
		return nil, wrongAt(text, int64(len(text)-len(rest)), "there is more after the end of the JSON value")
	}
	return v, nil
}

type jsonReader struct {
	text string
	dec  *json.Decoder
}

func (r *jsonReader) token() (json.Token, error) {
	t, err := r.dec.Token()
	if err == nil {
		return t, nil
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, wrongAt(r.text, int64(len(r.text)), "the JSON ends too early")
	}
	offset := r.dec.InputOffset()
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = max(offset, e.Offset-1)
	}
	return nil, wrongAt(r.text, offset, "this is not JSON: %s", err)
}

func (r *jsonReader) value(depth int) (*value, error) {
	t, err := r.token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case nil:
		return scalar(kindNull, "null"), nil
	case bool:
		if t {
			return scalar(kindBool, "true"), nil
		}
		return scalar(kindBool, "false"), nil
	case json.Number:
		return scalar(kindNumber, t.String()), nil
	case string:
		return scalar(kindText, t), nil
	}
	if depth > maxDepth {
		return nil, wrongAt(r.text, r.dec.InputOffset()-1, "it is nested more than %d levels deep", maxDepth)
	}
	if t == json.Delim('[') {
		return r.list(depth)
	}
	return r.object(depth)
}

func (r *jsonReader) list(depth int) (*value, error) {
	var items []*value
	for r.dec.More() {
		v, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		items = append(items, v)
	}
	_, err := r.token()
	return list(items), err
}

func (r *jsonReader) object(depth int) (*value, error) {
	var fields []field
	seen := map[string]bool{}
	for r.dec.More() {
		t, err := r.token()
		if err != nil {
			return nil, err
		}
		name, _ := t.(string) // the decoder gives no other type here
		if seen[name] {
			return nil, wrongAt(r.text, r.dec.InputOffset(), "the key %s is there twice", shorten(name))
		}
		seen[name] = true
		v, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		fields = append(fields, field{name, v})
	}
	_, err := r.token()
	return object(fields), err
}

// writeJSON lays v out; without an indent it is one line.
func writeJSON(v *value, o options) (string, error) {
	w := &jsonWriter{indent: strings.Repeat(" ", o.indent)}
	if err := w.value(v, "\n"); err != nil {
		return "", err
	}
	return w.done()
}

type jsonWriter struct {
	output

	indent string
}

// value writes v; break is the line break with the indent of the line that v is on.
func (w *jsonWriter) value(v *value, newline string) error {
	if err := w.full(); err != nil {
		return err
	}
	switch v.kind {
	case kindText:
		w.put(jsonText(v.text))
	case kindList:
		return w.members("[", "]", len(v.items), newline, func(i int, inner string) error { return w.value(v.items[i], inner) })
	case kindObject:
		return w.members("{", "}", len(v.fields), newline, func(i int, inner string) error {
			w.put(jsonText(v.fields[i].name))
			w.put(":")
			if w.indent != "" {
				w.put(" ")
			}
			return w.value(v.fields[i].value, inner)
		})
	case kindNumber:
		if strings.HasSuffix(v.text, ".inf") || v.text == ".nan" {
			return wrong(0, 0, "JSON has no number %s", v.text)
		}
		w.put(v.text)
	case kindNull, kindBool:
		w.put(v.text)
	}
	return nil
}

func (w *jsonWriter) members(open, end string, n int, newline string, member func(i int, inner string) error) error {
	w.put(open)
	inner := newline + w.indent
	for i := range n {
		if i > 0 {
			w.put(",")
		}
		if w.indent != "" {
			w.put(inner)
		}
		if err := member(i, inner); err != nil {
			return err
		}
	}
	if n > 0 && w.indent != "" {
		w.put(newline)
	}
	w.put(end)
	return nil
}

// jsonText is s in quotes, readable: no \u003c for <.
func jsonText(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil { // a text can always be encoded
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}
