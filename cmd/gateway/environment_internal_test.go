package main

import (
	"strings"
	"testing"

	"parley/pkg/policy"
)

// TestPasswordsOfProxiesAreSecrets plants passwords in the variables for proxies, also in
// values that are no URL.
func TestPasswordsOfProxiesAreSecrets(t *testing.T) {
	t.Parallel()
	for variable, password := range map[string]string{
		"HTTP_PROXY=http://me:canary-1@proxy:3128": "canary-1", "https_proxy=me:canary-2@proxy": "canary-2",
		"ALL_PROXY=socks5://me:can%40ary-3@proxy:1080": "can@ary-3", "HTTPS_PROXY=http://me:canary%word-4@proxy": "canary%word-4",
		"http_proxy=http://me:can@ary-5@proxy": "can@ary-5", "NO_PROXY=localhost": "", "HTTP_PROXY=http://proxy:3128": "",
	} {
		secrets := environmentSecrets([]string{variable, "HOME=/home/me:canary@x"})
		if password == "" {
			if len(secrets) > 0 {
				t.Errorf("%s has %d secrets", variable, len(secrets))
			}
			continue
		}
		got := policy.NewRedactor(secrets...).Redact("it is " + password + ".")
		if strings.Contains(got, "ary-") || strings.Contains(got, "word") {
			t.Errorf("%s: %q", variable, got)
		}
	}
}
