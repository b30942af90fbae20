package native

import (
	"net/http"
	"slices"

	"parley/pkg/httpd"
)

// Command is a command that a message may be, for a client that completes it.
type Command struct {
	Name string `json:"name"`
	// Does is what it does, in a line. Usage is how it is written, with its arguments.
	Does  string     `json:"does"`
	Usage string     `json:"usage"`
	Args  []Argument `json:"args"`
}

// Argument is a word behind a [Command].
type Argument struct {
	Name string `json:"name"`
	// Kind says what the word names.
	Kind string `json:"kind"`
	// Values are the words that there are, as far as they are the same in all chats of the caller.
	Values   []string `json:"values,omitempty"`
	Required bool     `json:"required,omitempty"`
}

// kindModel is the kind of an argument that names a model.
const kindModel = "model"

// listCommands answers with the commands of the caller's chats.
func listCommands(a *API, w http.ResponseWriter, c *httpd.Caller) *httpd.Refusal {
	all := a.o.Commands()
	for i := range all {
		for j := range all[i].Args {
			if arg := &all[i].Args[j]; arg.Kind == kindModel {
				arg.Values = slices.Concat(arg.Values, a.o.Models())
				if len(c.Models) > 0 {
					arg.Values = c.Models
				}
			}
		}
	}
	return a.answer(w, http.StatusOK, map[string]any{"commands": all})
}
