package data

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

// element is an element of XML, or with an empty name a text, a comment or an
// instruction as it is written.
type element struct {
	name  string
	attrs []field
	// nodes are its content, in order.
	nodes []*element
	raw   string
	text  bool
}

// parseXML reads one document. Namespaces stay the prefixes that they are.
func parseXML(text string) ([]*element, error) {
	p := &xmlParser{text: text, dec: xml.NewDecoder(strings.NewReader(text)), open: []*element{{}}}
	p.dec.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // it is text already
	for {
		t, err := p.dec.RawToken()
		if errors.Is(err, io.EOF) {
			return p.done()
		}
		if err != nil {
			message := err.Error()
			if e, ok := errors.AsType[*xml.SyntaxError](err); ok {
				message = e.Msg
			}
			return nil, p.wrong("this is not XML: %s", message)
		}
		if err := p.take(t); err != nil {
			return nil, err
		}
	}
}

type xmlParser struct {
	text  string
	dec   *xml.Decoder
	open  []*element // the document first
	count int
}

func (p *xmlParser) wrong(format string, args ...any) *SyntaxError {
	return wrongAt(p.text, p.dec.InputOffset(), format, args...)
}

func (p *xmlParser) done() ([]*element, error) {
	if len(p.open) > 1 {
		return nil, p.wrong("the element %s is not closed", shorten(p.open[len(p.open)-1].name))
	}
	if rootOf(p.open[0].nodes) == nil {
		return nil, p.wrong("there is no element")
	}
	return p.open[0].nodes, nil
}

func rootOf(nodes []*element) *element {
	for _, n := range nodes {
		if n.name != "" {
			return n
		}
	}
	return nil
}

func (p *xmlParser) take(t xml.Token) error {
	if p.count++; p.count > maxValues {
		return p.wrong("there are more than %d parts in it", maxValues)
	}
	top := p.open[len(p.open)-1]
	switch t := t.(type) {
	case xml.StartElement:
		return p.start(top, t)
	case xml.EndElement:
		if name := fullName(t.Name); top.name != name || len(p.open) == 1 {
			return p.wrong("the element %s is closed, and %s is open", shorten(name), shorten(top.name))
		}
		p.open = p.open[:len(p.open)-1]
	case xml.CharData:
		if len(p.open) > 1 {
			top.nodes = append(top.nodes, &element{raw: string(t), text: true})
		} else if strings.TrimSpace(string(t)) != "" {
			return p.wrong("there is text outside of the element")
		}
	case xml.Comment:
		top.nodes = append(top.nodes, &element{raw: "<!--" + string(t) + "-->"})
	case xml.ProcInst:
		raw := "<?" + t.Target
		if len(t.Inst) > 0 {
			raw += " " + string(t.Inst)
		}
		top.nodes = append(top.nodes, &element{raw: raw + "?>"})
	default:
		return p.wrong("document types and other directives are refused")
	}
	return nil
}

func (p *xmlParser) start(top *element, t xml.StartElement) error {
	e := &element{name: fullName(t.Name)}
	if len(p.open) == 1 && rootOf(top.nodes) != nil {
		return p.wrong("a second element starts here: only one can be read")
	}
	if len(p.open) > maxDepth {
		return p.wrong("it is nested more than %d levels deep", maxDepth)
	}
	seen := map[string]bool{}
	for _, a := range t.Attr {
		name := fullName(a.Name)
		if seen[name] {
			return p.wrong("the attribute %s is there twice", shorten(name))
		}
		seen[name] = true
		p.count++
		e.attrs = append(e.attrs, field{name, scalar(kindText, a.Value)})
	}
	top.nodes = append(top.nodes, e)
	p.open = append(p.open, e)
	return nil
}

func fullName(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return n.Space + ":" + n.Local
}

// readXML reads a document as an object with the one key that its element has.
func readXML(text string) (*value, error) {
	nodes, err := parseXML(text)
	if err != nil {
		return nil, err
	}
	root := rootOf(nodes)
	return object([]field{{root.name, root.value()}}), nil
}

// value is a text for an element with text only, else an object: @name for an
// attribute, a list for elements of one name, #text for the text beside them.
func (e *element) value() *value {
	var fields []field
	for _, a := range e.attrs {
		fields = append(fields, field{"@" + a.name, a.value})
	}
	var text strings.Builder
	var names []string
	groups := map[string][]*value{}
	for _, n := range e.nodes {
		switch {
		case n.text:
			text.WriteString(n.raw)
		case n.name != "":
			if groups[n.name] == nil {
				names = append(names, n.name)
			}
			groups[n.name] = append(groups[n.name], n.value())
		}
	}
	if len(fields)+len(names) == 0 {
		return scalar(kindText, text.String())
	}
	for _, name := range names {
		if same := groups[name]; len(same) == 1 {
			fields = append(fields, field{name, same[0]})
		} else {
			fields = append(fields, field{name, list(same)})
		}
	}
	beside := text.String()
	if len(names) > 0 {
		beside = strings.TrimSpace(beside)
	}
	if beside != "" {
		fields = append(fields, field{"#text", scalar(kindText, beside)})
	}
	return object(fields)
}
