package main

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"parley/pkg/config"
	"parley/pkg/policy"
)

// minEnvironmentSecret is the shortest value of a variable that is taken for a secret
// by the variable's name alone: TOKEN=test must not take words out of texts.
const minEnvironmentSecret = 16

// newRedactor knows the secrets of the environment and of a configuration, which may be
// nil.
func (h *host) newRedactor(cfg *config.Config) *policy.Redactor {
	secrets := environmentSecrets(h.environ())
	if cfg != nil {
		secrets = append(secrets, cfg.Secrets()...)
	}
	return policy.NewRedactor(secrets...)
}

// environmentSecrets are the values that are secrets by the names of their variables,
// the passwords of proxies, and the lines of those that have several, because a log has one line at a time.
func environmentSecrets(environ []string) []string {
	var out []string
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		name = strings.ToUpper(name)
		if strings.HasSuffix(name, "_PROXY") {
			out = append(out, proxyPasswords(value)...)
			continue
		}
		if !slices.ContainsFunc([]string{"KEY", "TOKEN", "SECRET", "PASSWORD"}, func(end string) bool { return strings.HasSuffix(name, end) }) {
			continue
		}
		for line := range strings.Lines(value) {
			if line = strings.TrimSpace(line); isSecret(line) {
				out = append(out, line)
			}
		}
	}
	return out
}

// proxyPasswords is the password in the address of a proxy, as it is written and as it is
// sent. The address may be no URL: a password with odd letters makes it none.
func proxyPasswords(address string) []string {
	_, rest, schemed := strings.Cut(address, "://")
	if !schemed {
		rest = address
	}
	user, _, found := cutLast(rest, "@")
	_, password, both := strings.Cut(user, ":")
	if !found || !both || password == "" {
		return nil
	}
	out := []string{password}
	if plain, err := url.PathUnescape(password); err == nil {
		out = append(out, plain)
	}
	return out
}

// cutLast is [strings.Cut] at the last separator.
func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// isSecret says whether a value looks like a secret: long, of letters and digits, and
// not the place of a file.
func isSecret(s string) bool {
	if len(s) < minEnvironmentSecret || !strings.ContainsFunc(s, unicode.IsLetter) || !strings.ContainsFunc(s, unicode.IsDigit) {
		return false
	}
	if filepath.IsAbs(s) {
		_, err := os.Lstat(s)
		return err != nil
	}
	return true
}
