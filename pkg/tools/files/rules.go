package files

import (
	"fmt"
	"regexp"
	"strings"

	"parley/pkg/tools"
)

// The prefix of a file's name until the file is whole.
const (
	tempPrefix = ".parley-"
	tempSuffix = ".tmp"
)

// Refused are the patterns of files that no tool reads or writes, in upper or lower
// case: keys, passwords, and files that make git run programs.
func Refused() []string {
	return []string{
		".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".config/gcloud", "**/.config/gcloud", ".password-store",
		"id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*.pem", "*.key", "*.p12", "*.pfx", "*.ppk", "*.jks", "*.keystore", "*.kdbx",
		".env", ".env.*", ".envrc", ".netrc", "_netrc", ".pgpass", ".my.cnf", ".npmrc", ".pypirc", ".htpasswd", ".vault-token", ".terraformrc",
		"credentials", "credentials.*", ".credentials*", ".git-credentials", "client_secret*.json",
		".git", tempPrefix + "*" + tempSuffix,
	}
}

// ControlFiles are the patterns of files that no tool writes, in upper or lower case:
// those that steer an agent, at the top of a folder of files. The gateway's own lie
// outside of all of them; these are for a folder that becomes an agent's later.
func ControlFiles() []string {
	return []string{"/AGENT.md", "/HEARTBEAT.md", "/skills", "/tools", "/state", "/policy", "/parley.yaml", "/parley.yml"}
}

// CheckPattern reports the mistake in a pattern. Without a slash it is matched with
// every name in a path, else with the path from its beginning, and a match includes
// everything below it. * is any characters but a slash, ** any folders.
func CheckPattern(pattern string) error {
	if strings.Trim(pattern, "/") == "" || len(pattern) > maxPattern {
		return fmt.Errorf("%.40q is no pattern: write one such as *.md or notes/**", pattern)
	}
	plain := strings.TrimPrefix(strings.TrimSuffix(pattern, "/"), "/")
	for name := range strings.SplitSeq(plain, "/") {
		if name == "" || name == "." || name == ".." {
			return fmt.Errorf("%.40q matches no path, which has no empty name and neither . "+
				"nor ..: write the path from the top of the folder, such as private/**",
				pattern)
		}
	}
	_, err := compileGlob(plain)
	return err
}

// rules say which paths are reached. They hold for paths relative to a root.
type rules struct {
	allow, control *regexp.Regexp
	// secret matches files that no configuration opens, refuse those that the operator's
	// closes.
	secret, refuse *regexp.Regexp
	allowed        []string
	err            error
}

func newRules(allow, refuse []string) *rules {
	r := &rules{allowed: allow}
	compile := func(patterns []string) *regexp.Regexp {
		re, err := anyOf(patterns)
		if err != nil {
			r.err = err
		}
		return re
	}
	if len(allow) > 0 {
		r.allow = compile(allow)
	}
	r.secret = compile(Refused())
	if len(refuse) > 0 {
		r.refuse = compile(refuse)
	}
	r.control = compile(ControlFiles())
	return r
}

// anyOf is one expression for many patterns, and for everything below a match.
func anyOf(patterns []string) (*regexp.Regexp, error) {
	parts := make([]string, len(patterns))
	for i, pattern := range patterns {
		if err := CheckPattern(pattern); err != nil {
			return nil, err
		}
		g, err := translateGlob(strings.TrimPrefix(strings.TrimSuffix(pattern, "/"), "/"), strings.HasPrefix(pattern, "/"))
		if err != nil {
			return nil, err
		}
		parts[i] = g
	}
	return regexp.Compile(`\A(?is:` + strings.Join(parts, "|") + `)(?s:/.*)?\z`)
}

// reach refuses a path that is out of bounds for every tool.
func (s *space) reach(rel string) error {
	if s.rules.secret.MatchString(rel) {
		return s.fail(tools.ErrSecurityViolation, rel, "this path is refused: such files hold keys, passwords or other settings of the machine")
	}
	if s.rules.refuse != nil && s.rules.refuse.MatchString(rel) {
		return s.fail(tools.ErrSecurityViolation, rel, "the configuration of the operator refuses this path (tools.files.refuse)")
	}
	return nil
}

// reachFile refuses a file that is out of bounds for every tool.
func (s *space) reachFile(rel string) error {
	if err := s.reach(rel); err != nil {
		return err
	}
	if !s.permits(rel) {
		return tools.Fail(tools.ErrSecurityViolation, s.shown(rel)+": the configuration does not allow this file", map[string]any{
			"path": s.shown(rel), "allowed": s.rules.allowed,
		})
	}
	return nil
}

// permits says whether the configuration allows a file by its name.
func (s *space) permits(rel string) bool {
	return s.rules.allow == nil || s.rules.allow.MatchString(rel)
}

// reachWritable refuses a path that no tool writes.
func (s *space) reachWritable(rel string) error {
	if s.rules.control.MatchString(rel) {
		return s.fail(tools.ErrSecurityViolation, rel, "this is one of the files that steer the agent; only the operator changes them")
	}
	return s.reachFile(rel)
}

func isTemp(name string) bool {
	return strings.HasPrefix(name, tempPrefix) && strings.HasSuffix(name, tempSuffix)
}

// Matcher says which paths below a folder match one of the patterns, as [CheckPattern] describes them.
func Matcher(patterns []string) (func(path string) bool, error) {
	re, err := anyOf(patterns)
	if err != nil {
		return nil, err
	}
	return re.MatchString, nil
}
