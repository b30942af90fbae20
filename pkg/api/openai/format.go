package openai

import (
	"encoding/json"
	"net/http"

	"parley/pkg/channels"
	"parley/pkg/httpd"
)

// answerFormat is the form that a request wants of the answer's text. In chat completions the
// schema stands in an object of its own.
type answerFormat struct {
	schemaFormat

	Type string        `json:"type"`
	JSON *schemaFormat `json:"json_schema"`
}

type schemaFormat struct {
	Schema json.RawMessage `json:"schema"`
	Strict bool            `json:"strict"`
}

// The types of an answer.
const (
	formatText   = "text"
	formatObject = "json_object"
	formatSchema = "json_schema"
)

// anyObject is the schema of an answer that is an object of any form.
const anyObject = `{"type":"object"}`

// take adds the form to a wish.
func (f *answerFormat) take(w *channels.Wish, param string) *httpd.Refusal {
	switch f.Type {
	case "", formatText:
		return nil
	case formatObject:
		w.Schema = json.RawMessage(anyObject)
		return nil
	case formatSchema:
	default:
		return bad(param+".type", textFormat)
	}
	wanted := f.schemaFormat
	if f.JSON != nil {
		wanted = *f.JSON
	}
	var schema map[string]any
	if json.Unmarshal(wanted.Schema, &schema) != nil || len(schema) == 0 {
		return bad(param, textSchema)
	}
	w.Schema, w.Strict = wanted.Schema, wanted.Strict
	return nil
}

// holds refuses a form that the model of a request does not hold its answer to.
func (a *API) holds(p *place, w *channels.Wish, param string) *httpd.Refusal {
	if len(w.Schema) == 0 || a.o.Formats(p.at, w.Model, string(w.Schema) == anyObject) {
		return nil
	}
	return &httpd.Refusal{Status: http.StatusBadRequest, Code: "unsupported_value", Message: textNoFormat, Param: param}
}
