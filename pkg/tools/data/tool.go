package data

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"parley/pkg/tools"
)

type input struct {
	Data      string `json:"data" jsonschema:"up to 256 KiB"`
	From      string `json:"from" enum:"json,yaml,xml,csv"`
	To        string `json:"to,omitempty"`
	Indent    *int   `json:"indent,omitempty" minimum:"0" maximum:"8"`
	Delimiter string `json:"delimiter,omitempty" jsonschema:"one character"`
}

// options are how data is laid out.
type options struct {
	indent    int
	delimiter rune
}

const defaultIndent, maxIndent = 2, 8

// New makes the tool format_data.
func New() tools.Tool {
	return tools.New("format_data", "Check data, lay it out, or convert it. XML: @name is an attribute, #text the text.",
		tools.Annotations{ReadOnly: true, Idempotent: true, Level: tools.LevelChat, MaxOutput: maxBytes},
		func(_ context.Context, in input) (any, error) {
			o, fail := in.options()
			if fail != nil {
				return nil, fail
			}
			out, err := convert(in.Data, in.From, in.To, o)
			if err != nil {
				return nil, failure(err)
			}
			return out, nil
		})
}

func (in *input) options() (options, *tools.Error) {
	o := options{indent: defaultIndent, delimiter: ','}
	if in.To == "" {
		in.To = in.From
	}
	for _, format := range []string{in.From, in.To} {
		switch format {
		case "json", "yaml", "xml", "csv":
		default:
			return o, tools.Fail(tools.ErrInvalidArguments, "the format "+shorten(format)+" is none of json, yaml, xml, csv", nil)
		}
	}
	if in.Indent != nil {
		if o.indent = *in.Indent; o.indent < 0 || o.indent > maxIndent {
			return o, tools.Fail(tools.ErrInvalidArguments, "indent must be 0 to 8", nil)
		}
	}
	if in.Delimiter != "" {
		r, size := utf8.DecodeRuneInString(in.Delimiter)
		if size != len(in.Delimiter) || strings.ContainsRune("\"\r\n\x00", r) || r == utf8.RuneError {
			return o, tools.Fail(tools.ErrInvalidArguments, "the delimiter must be one character, and no quote or line break", nil)
		}
		o.delimiter = r
	}
	return o, nil
}

// failure tells the model the mistake in its data.
func failure(err error) error {
	details := map[string]any{}
	if e, ok := errors.AsType[*SyntaxError](err); ok && e.Line > 0 {
		details["line"], details["column"] = e.Line, e.Column
	}
	return tools.Fail(tools.ErrInvalidArguments, err.Error(), details).Because(err)
}

// convert reads text in one format and writes it in another.
func convert(text, from, to string, o options) (string, error) {
	text, err := checked(text)
	if err != nil {
		return "", err
	}
	if from == "xml" && to == "xml" {
		return layoutXML(text, o)
	}
	var v *value
	switch from {
	case "json":
		v, err = readJSON(text)
	case "yaml":
		v, err = readYAML(text)
	case "xml":
		v, err = readXML(text)
	default:
		v, err = readCSV(text, o)
	}
	if err == nil {
		err = v.check()
	}
	if err != nil {
		return "", err
	}
	switch to {
	case "json":
		return writeJSON(v, o)
	case "yaml":
		return writeYAML(v)
	case "xml":
		return writeXML(v, o)
	default:
		return writeCSV(v, o)
	}
}

// checked refuses text that no reader should see.
func checked(text string) (string, error) {
	if len(text) > maxBytes {
		return "", wrong(0, 0, "the data is longer than %d bytes", maxBytes)
	}
	if !utf8.ValidString(text) {
		return "", wrong(0, 0, "the data is not text in UTF-8")
	}
	return strings.TrimPrefix(text, "\ufeff"), nil
}
