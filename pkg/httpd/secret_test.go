package httpd_test

import (
	"strings"
	"testing"

	"parley/pkg/httpd"
)

// TestTokenSecrets: each is another one, and texts that cannot be one have no hash.
func TestTokenSecrets(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 100 {
		secret, hash := httpd.NewToken()
		again, ok := httpd.TokenHash(secret)
		if !ok || again != hash || seen[secret] || !strings.HasPrefix(secret, "parley_") || len(secret) < 43 {
			t.Fatalf("%q: %v", secret, ok)
		}
		seen[secret] = true
		for _, wrong := range []string{"", "parley_", secret[:len(secret)-1], secret + "x", "x" + secret, strings.ToUpper(secret)} {
			if _, ok := httpd.TokenHash(wrong); ok {
				t.Errorf("%q passes for a token", wrong)
			}
		}
	}
}
