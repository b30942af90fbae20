package openai

import (
	"crypto/sha256"
	"fmt"
	"math/big"
	"strings"

	sdk "github.com/sashabaranov/go-openai"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
	"parley/pkg/providers/kinds"
)

// demand is a caller's tool_choice: a form, and the tool that a named one names. The
// zero value is no choice.
type demand struct {
	form kinds.Choice
	name string
}

func toolChoice(v any) (demand, error) {
	choice, err := exchange.ToolChoice(v)
	if choice.Name != "" {
		return demand{form: kinds.ChoiceNamed, name: choice.Name}, nil
	}
	return demand{form: kinds.Choice(choice.Word)}, err
}

// wire is a choice, which is none but the zero value, as a request has it.
func (d demand) wire() any {
	if d.form == kinds.ChoiceNamed {
		return sdk.ToolChoice{Type: sdk.ToolTypeFunction, Function: sdk.ToolFunction{Name: d.name}}
	}
	return string(d.form)
}

// offer gives the choice that goes to a server; strongest is the strongest form that the
// server takes. A form that it does not take becomes the next weaker one, and the offered
// tools make up for it: no tools, or the named one alone.
func (q *question) offer(c demand, strongest kinds.Choice) demand {
	switch {
	case c.form == "":
		return demand{}
	case c.form == kinds.ChoiceNone && !strongest.Takes(c.form):
		q.tools = nil
		return demand{}
	case c.form == kinds.ChoiceNamed && !strongest.Takes(c.form):
		q.tools = only(q.tools, c.name)
		c = demand{form: kinds.ChoiceRequired}
	}
	if c.form == kinds.ChoiceRequired && !strongest.Takes(c.form) {
		c.form = kinds.ChoiceAuto
	}
	if len(q.tools) == 0 || !strongest.Takes(c.form) {
		return demand{}
	}
	return c
}

// only gives the tool of a name alone; all tools if no tool has that name.
func only(tools []providers.ToolDefinition, name string) []providers.ToolDefinition {
	for i := range tools {
		if tools[i].Function.Name == name {
			return tools[i : i+1 : i+1]
		}
	}
	return tools
}

// callID gives a call's id in the form that the server takes: an id of another
// server may have a form that this one refuses. The same id gives the same one.
func (k quirks) callID(id string) string {
	switch k.row.IDs {
	case kinds.IDsNine:
		if len(id) == nineLetters && strings.IndexFunc(id, isOther) < 0 {
			return id
		}
		sum := sha256.Sum256([]byte(id))
		const base = 62
		text := new(big.Int).SetBytes(sum[:]).Text(base)
		return text[len(text)-nineLetters:]
	case kinds.IDsShort:
		const most = 40
		if len(id) <= most {
			return id
		}
		sum := sha256.Sum256([]byte(id))
		return fmt.Sprintf("call_%x", sum[:12])
	}
	return id
}

const nineLetters = 9

func isOther(r rune) bool {
	return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}
