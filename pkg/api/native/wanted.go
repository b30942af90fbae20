package native

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"

	"parley/pkg/channels"
	"parley/pkg/httpd"
)

// wanted are the tools of a request: names of the gateway's, which leave no others, and tools
// of the program.
type wanted struct {
	names []string
	own   []channels.CallerTool
	given bool // also where the list is empty
}

// offeredTool is a tool of a program, in the form of the OpenAI API or of M21.
type offeredTool struct {
	Type     string `json:"type"`
	Function *struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"parameters_schema"`
	Parameters  json.RawMessage `json:"parameters"`
	Bound       string          `json:"bound_capability"`
}

// UnmarshalJSON implements [json.Unmarshaler].
func (w *wanted) UnmarshalJSON(raw []byte) error {
	*w = wanted{}
	if string(raw) == "null" {
		return nil
	}
	var all []json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return err
	}
	w.given = true
	for _, one := range all {
		if bytes.HasPrefix(one, []byte("{")) {
			var t offeredTool
			if err := json.Unmarshal(one, &t); err != nil {
				return err
			}
			w.own = append(w.own, t.tool())
			continue
		}
		var name string
		if err := json.Unmarshal(one, &name); err != nil {
			return err
		}
		w.names = append(w.names, name)
	}
	return nil
}

func (t *offeredTool) tool() channels.CallerTool {
	if f := t.Function; f != nil {
		return channels.CallerTool{Name: f.Name, Description: f.Description, Parameters: f.Parameters, Bound: t.Bound}
	}
	schema := t.Schema
	if len(schema) == 0 {
		schema = t.Parameters
	}
	return channels.CallerTool{Name: t.Name, Description: t.Description, Parameters: schema, Bound: t.Bound}
}

// MarshalJSON implements [json.Marshaler], for the sum of a request.
func (w *wanted) MarshalJSON() ([]byte, error) {
	if !w.given {
		return []byte("null"), nil
	}
	all := []any{}
	for _, name := range w.names {
		all = append(all, name)
	}
	for i := range w.own {
		all = append(all, &w.own[i])
	}
	return json.Marshal(all)
}

// none says that the list takes all tools away.
func (w *wanted) none() bool { return w.given && len(w.names)+len(w.own) == 0 }

// toolName is how tools are called everywhere.
var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// check refuses tools that no model could be offered, and tools of the gateway that the
// caller does not have, by a name of its own or by theirs.
func (w *wanted) check(offered []string) *httpd.Refusal {
	if len(w.names) > channels.MaxWishTools || len(w.own) > channels.MaxCallerTools {
		return bad("tools", fmt.Sprintf(textManyTools, channels.MaxWishTools))
	}
	for _, name := range w.names {
		if !slices.Contains(offered, name) {
			return bad("tools", fmt.Sprintf(textToolName, name))
		}
	}
	taken := map[string]bool{}
	for i := range w.own {
		t := &w.own[i]
		var schema map[string]any
		if !toolName.MatchString(t.Name) || taken[t.Name] || len(t.Parameters) > 0 && json.Unmarshal(t.Parameters, &schema) != nil {
			return bad("tools", fmt.Sprintf(textOwnTool, cmp.Or(t.Name, fmt.Sprint("number ", i+1))))
		}
		taken[t.Name] = true
		if t.Bound != "" && !slices.Contains(offered, t.Bound) {
			return &httpd.Refusal{
				Status: http.StatusForbidden, Code: "token_scope_insufficient", Message: fmt.Sprintf(textToolName, t.Bound), Param: "tools",
			}
		}
	}
	return nil
}
