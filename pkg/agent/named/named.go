package named

import (
	"errors"
	"fmt"
	"strings"

	"parley/pkg/channels"
	"parley/pkg/text"
	"parley/pkg/visible"
)

// ErrAmbiguous says that several tasks, or several jobs, have a name. The error's text
// lists their ids.
var ErrAmbiguous = errors.New("several have this name")

// Plain is a name as people type it, without the quotation marks of a list.
func Plain(said string) string {
	return strings.Join(strings.Fields(strings.Trim(said, "\"'`“” ")), " ")
}

// Fits reports whether a person means the name that lists show.
func Fits(name, said string) bool {
	return name != "" && strings.EqualFold(Plain(name), Plain(said))
}

// Ambiguous is the error for a name that the things with these ids have.
func Ambiguous(name string, ids []string) error {
	return fmt.Errorf("%w: write one of %s instead of %s", ErrAmbiguous, strings.Join(ids, ", "), text.ClipBytes(visible.Text(name), 64))
}

// Requester stands for a person without a name.
const Requester = "the person who asked"

// Person is the name of a person as others are told of it.
func Person(s channels.Sender) string {
	if s.Name != "" {
		return visible.Text(s.Name)
	}
	return Requester
}

// Sentence is a sentence of what an error says.
func Sentence(err error) string {
	said := err.Error()
	return strings.ToUpper(said[:1]) + said[1:] + "."
}
