package admin

import "testing"

// TestHintsCanBeRepeated by a person who started the program from a checkout, or by its name.
func TestHintsCanBeRepeated(t *testing.T) {
	t.Parallel()
	for started, want := range map[string]string{
		"parley": "parley", "bin/parley": "bin/parley", "./parley": "./parley", "/usr/local/bin/parley": "parley",
	} {
		if got := programOf(started); got != want {
			t.Errorf("started as %s it calls itself %s, want %s", started, got, want)
		}
	}
}
