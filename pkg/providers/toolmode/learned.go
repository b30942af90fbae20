package toolmode

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"parley/pkg/providers"
)

const (
	remembered = time.Hour // how long a refusal holds
	maxModels  = 256       // of which a refusal is remembered
)

// refusals remember in which mode the models of a server are asked. The zero value knows
// of no refusal.
type refusals struct {
	mu    sync.Mutex
	known map[string]refusal
}

type refusal struct {
	mode  Mode
	until time.Time
}

// of is the mode for a model, usual without a refusal.
func (r *refusals) of(model string, usual Mode) Mode {
	r.mu.Lock()
	defer r.mu.Unlock()
	known, ok := r.known[model]
	if !ok {
		return usual
	}
	if !time.Now().Before(known.until) {
		delete(r.known, model)
		return usual
	}
	return known.mode
}

func (r *refusals) note(model string, mode Mode) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[string]refusal{}
	}
	if _, ok := r.known[model]; !ok && len(r.known) >= maxModels {
		r.forget()
	}
	r.known[model] = refusal{mode, time.Now().Add(remembered)}
}

// forget removes the refusal that ends first.
func (r *refusals) forget() {
	var first string
	for model, known := range r.known {
		if first == "" || known.until.Before(r.known[first].until) {
			first = model
		}
	}
	delete(r.known, first)
}

// other is the mode for a model whose server refused one with err; nil if err is no such
// refusal, or the operator wants no other mode.
func (o *Options) other(mode Mode, err error) (Mode, *providers.Error) {
	refused, ok := errors.AsType[*providers.Error](err)
	if !ok {
		return mode, nil
	}
	words := wordsOf(refused.Message)
	switch {
	case mode == Native && o.Mode == Auto && isInvalid(refused) && namesTools(words) && denies(words):
		return JSONSchema, refused
	case mode == Native || mode == None || !unread(refused, words):
		return mode, nil
	case mode == JSONSchema && o.Grammar:
		return byGrammar, refused
	case o.Mode == Auto:
		return None, refused
	default:
		return mode, nil
	}
}

// isInvalid says whether a server refuses the request as it is. Such refusals with the
// status 404 and 500 are those of OpenRouter and llama.cpp that name an option.
func isInvalid(refused *providers.Error) bool {
	switch refused.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusInternalServerError:
		return refused.Kind == providers.KindInvalid
	default:
		return false
	}
}

// unread says whether a server could not read the form of the answer. Of llama.cpp that is
// the status 500 too, where it makes no grammar of a schema.
func unread(refused *providers.Error, words []string) bool {
	return (isInvalid(refused) || refused.Status == http.StatusInternalServerError) && namesFormat(words)
}

// wordsOf are the words of an error's text. Names of fields, such as tool_choice and
// tools[0].function, are one word each.
func wordsOf(message string) []string {
	return strings.FieldsFunc(strings.ToLower(message), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("_-[].", r)
	})
}

// namesTools says whether an error is about tools as such: not about the choice among them,
// a call of one, or the schema of one.
func namesTools(words []string) bool {
	found := false
	for i, word := range words {
		switch strings.Trim(word, ".-") {
		case "tool", "tools", "tool-calling", "tool_calling", "tool-use", "tool_use", "function-calling", "function_calling",
			"enable-auto-tool-choice", "functions":
			found = true
		case "function":
			found = found || i+1 < len(words) && strings.HasPrefix(words[i+1], "call")
		case "schema", "role":
			return false
		}
	}
	return found
}

// denies says whether an error tells of an ability that is missing.
func denies(words []string) bool {
	for _, word := range words {
		for _, part := range []string{"support", "enable", "jinja", "unavailable", "available", "disabled", "allowed"} {
			if strings.Contains(word, part) {
				return true
			}
		}
	}
	return false
}

// namesFormat says whether an error is about the form of the answer.
func namesFormat(words []string) bool {
	for _, word := range words {
		for _, part := range []string{"response_format", "json_schema", "grammar", "structured", "json-schema", "guided"} {
			if strings.Contains(word, part) {
				return true
			}
		}
	}
	return false
}
