package gemini

import (
	"encoding/json"
	"slices"
	"sync"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
)

// offers keeps the encoded form of recently offered tools: the chats of one level are
// offered the same ones, whose definitions are constant.
type offers struct {
	mu     sync.Mutex
	recent []offer // the oldest first
}

type offer struct {
	defs []providers.ToolDefinition
	text []byte
}

// maxOffers is how many sets of tools are kept.
const maxOffers = 8

// of gives the tools as a request has them, with a comma behind; the bytes are shared.
func (o *offers) of(defs []providers.ToolDefinition) ([]byte, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.recent {
		if slices.EqualFunc(o.recent[i].defs, defs, sameTool) {
			return o.recent[i].text, nil
		}
	}
	text, err := appendTools(nil, defs)
	if err != nil {
		return nil, err
	}
	if len(o.recent) == maxOffers {
		o.recent = append(o.recent[:0], o.recent[1:]...)
	}
	o.recent = append(o.recent, offer{slices.Clone(defs), slices.Clip(text)})
	return text, nil
}

// sameTool says whether two definitions are encoded alike, by the schema's own bytes;
// one without encoded bytes counts as different.
func sameTool(a, b providers.ToolDefinition) bool {
	x, y := &a.Function, &b.Function
	return len(x.Encoded) > 0 && len(x.Encoded) == len(y.Encoded) && &x.Encoded[0] == &y.Encoded[0] &&
		x.Name == y.Name && x.Description == y.Description
}

func appendTools(b []byte, defs []providers.ToolDefinition) ([]byte, error) {
	b = append(b, `"tools":[{"functionDeclarations":[`...)
	for i := range defs {
		f := &defs[i].Function
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"name":`...)
		b = exchange.AppendString(b, wireName(f.Name))
		if f.Description != "" {
			b = append(b, `,"description":`...)
			b = exchange.AppendString(b, f.Description)
		}
		parameters, err := parametersOf(f)
		if err != nil {
			return nil, err
		}
		if parameters != nil { // the server refuses an object without properties
			b = append(b, `,"parameters":`...)
			b = append(b, parameters...)
		}
		b = append(b, '}')
	}
	return append(b, `]}],`...), nil
}

// parametersOf converts the schema of a tool; nil for a tool without arguments.
func parametersOf(f *providers.FunctionDefinition) ([]byte, error) {
	encoded := []byte(f.Encoded)
	if len(encoded) == 0 {
		var err error
		if encoded, err = json.Marshal(f.Parameters); err != nil {
			return nil, schemaError(f, err)
		}
	}
	converted, err := convertSchema(encoded)
	if err != nil {
		return nil, schemaError(f, err)
	}
	if converted == nil {
		return nil, nil
	}
	b, err := json.Marshal(converted)
	if err != nil {
		return nil, schemaError(f, err)
	}
	return b, nil
}

func schemaError(f *providers.FunctionDefinition, err error) error {
	return &providers.Error{Kind: providers.KindInvalid, Message: "the schema of the tool " + f.Name + " cannot be sent", Err: err}
}
