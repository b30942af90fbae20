package doctor

import (
	"strings"
	"testing"
)

// TestAFindingIsClean: a server may repeat a key in any of its words, also where the text is cut.
func TestAFindingIsClean(t *testing.T) {
	t.Parallel()
	const key = "sk-0123456789"
	long := strings.Repeat("x", maxText-len(key)/2) + key
	for name, f := range map[string]Finding{
		"check": {Check: "model " + key}, "found": {Found: "refused\r\n" + key}, "cure": {Cure: "replace " + key}, "cut": {Found: long},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f.clean(func(s string) string { return strings.ReplaceAll(s, key, "[redacted]") })
			said := f.Check + f.Found + f.Cure
			if strings.Contains(said, "sk-") || strings.ContainsAny(said, "\r\n") {
				t.Errorf("it says %q", said)
			}
		})
	}
}
