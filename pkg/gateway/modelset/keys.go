package modelset

import (
	"slices"
	"sync"

	"github.com/rs/zerolog"

	"parley/pkg/config"
)

// Redactor takes secrets out of texts.
type Redactor interface {
	Add(secret string)
	Forget(secret string)
}

// oldKeys is how many values of one key stay known to the redactor: requests with the ones
// before may be under way.
const oldKeys = 8

// renewed is a key in a file, which its owner may replace while the gateway runs.
type renewed struct {
	key      *config.Secret
	redactor Redactor
	log      zerolog.Logger

	mu     sync.Mutex
	now    string
	added  []string // to the redactor, the oldest first
	failed string   // the last failure that the log has
}

// keyOf gives the key of each request; nil for a model without a key.
func keyOf(key *config.Secret, o *Options) func() string {
	if key == nil {
		return nil
	}
	return (&renewed{key: key, redactor: o.Redactor, log: o.Log, now: key.Reveal()}).get
}

// get gives the key as it is now. The redactor knows it before any request has it.
func (r *renewed) get() string {
	value, err := r.key.Renewed()
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err == nil:
		r.failed = ""
	case err.Error() != r.failed:
		r.failed = err.Error()
		r.log.Warn().Err(err).Msg("a key cannot be read anew: the one before stays")
	}
	if value != r.now {
		r.learn(value)
	}
	return value
}

func (r *renewed) learn(value string) {
	r.now = value
	if r.redactor == nil || slices.Contains(r.added, value) {
		return
	}
	r.redactor.Add(value)
	if r.added = append(r.added, value); len(r.added) > oldKeys {
		r.redactor.Forget(r.added[0])
		r.added = slices.Delete(r.added, 0, 1)
	}
}
