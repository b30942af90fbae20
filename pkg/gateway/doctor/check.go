package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/pkg/panics"
	"parley/pkg/text"
)

// Verdict is the judgement of a finding.
type Verdict string

// The verdicts. A part that could not be looked at, or was not to be, has [Skip].
const (
	OK   Verdict = "ok"
	Warn Verdict = "warn"
	Fail Verdict = "fail"
	Skip Verdict = "skip"
)

// Finding is the outcome of a check for one thing.
type Finding struct {
	// Check names what was looked at, such as "model main".
	Check   string  `json:"check"`
	Verdict Verdict `json:"verdict"`
	Found   string  `json:"found"`
	// Cure is a command or an edit; each warning and each failure has one.
	Cure string `json:"cure,omitempty"`
}

// Check looks at one thing.
type Check struct {
	Name string
	// Limit is how long it may take.
	Limit time.Duration
	// Servers says that it asks servers.
	Servers bool
	Run     func(ctx context.Context) []Finding
}

// errLate is the cause of the end of a check that took too long.
var errLate = errors.New("the time of the check is over")

// grace is how long a check may take to come back with its part of the findings once its
// time is over.
const grace = time.Second

// run gives the findings of a check, at the latest a moment after its limit. Work that goes
// on then, such as a read from a disk that does not answer, ends with the process.
func (c *Check) run(ctx context.Context, program string) []Finding {
	ctx, cancel := context.WithTimeoutCause(ctx, c.Limit, errLate)
	defer cancel()
	done := make(chan []Finding, 1)
	go func() {
		var found []Finding
		if failed := panics.Catch(func() { found = c.Run(ctx) }); failed != nil {
			found = []Finding{{c.Name, Fail, fmt.Sprintf(textPanic, failed), textPanicCure}}
		}
		done <- found
	}()
	select {
	case found := <-done:
		return found
	case <-ctx.Done():
	}
	last := time.NewTimer(grace)
	defer last.Stop()
	select {
	case found := <-done:
		return found
	case <-last.C:
		return []Finding{{c.Name, Fail, fmt.Sprintf(textLate, c.Limit), fmt.Sprintf(textLateCure, program)}}
	}
}

// maxText is the longest text of a finding, in characters.
const maxText = 700

// clean takes the secrets out of a finding and makes its texts lines of bounded length. The
// secrets go first: no part of one is left by a cut.
func (f *Finding) clean(redact func(string) string) {
	for _, s := range []*string{&f.Check, &f.Found, &f.Cure} {
		lines := strings.FieldsFunc(redact(*s), func(r rune) bool { return r == '\n' || r == '\r' })
		*s = text.Clip(strings.Join(lines, "; "), maxText)
	}
}
