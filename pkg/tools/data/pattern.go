package data

import (
	"regexp"
	"sync"
)

// compiled is a pattern that is compiled at its first use: a gateway that is asked
// for no data starts faster.
func compiled(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
