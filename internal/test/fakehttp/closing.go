package fakehttp

import (
	"slices"
	"strings"
	"testing"
)

// CloseAfter closes a fake at the end of a test, which fails if the fake's clients broke
// the rules of its platform. A violation that holds one of the words of ignore counts not.
func CloseAfter(tb testing.TB, fake interface {
	Close() error
	Violations() []string
}, rules string, ignore ...string,
) {
	tb.Helper()
	tb.Cleanup(func() {
		if err := fake.Close(); err != nil {
			tb.Error(err)
		}
		for _, v := range fake.Violations() {
			if !slices.ContainsFunc(ignore, func(words string) bool { return strings.Contains(v, words) }) {
				tb.Errorf("violation of %s: %s", rules, v)
			}
		}
	})
}
