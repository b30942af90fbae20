package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// hidden is the text that a [Secret] shows of itself.
const hidden = "[redacted]"

// othersMode are the bits of a file that others may read or write.
const othersMode = os.FileMode(0o077)

// maxSecret is the most that is read of a secret's file.
const maxSecret = 64 << 10

// Secret is a value that does not show itself: however it is printed or
// encoded, it says [redacted]. The zero value is no secret at all.
type Secret struct {
	value string
	set   bool
	file  *secretFile // of a file: reference
}

// NewSecret holds a value that did not come from the file.
func NewSecret(value string) Secret { return Secret{value: value, set: true} }

// IsSet says whether the file names a secret here.
func (s Secret) IsSet() bool { return s.set }

// Reveal gives the value. It is for the code that wires the gateway, which
// hands it to the one adapter that needs it.
func (s Secret) Reveal() string { return s.value }

// Renewed gives the value that the secret has now: that of its file, which may have been
// replaced since the start. With an error the value is the one before.
func (s Secret) Renewed() (string, error) {
	if s.file == nil {
		return s.value, nil
	}
	return s.file.read()
}

// String hides the value.
func (Secret) String() string { return hidden }

// GoString hides the value.
func (Secret) GoString() string { return hidden }

// Format hides the value from every verb.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hidden) }

// MarshalText hides the value.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// MarshalJSON hides the value.
func (Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + hidden + `"`), nil }

// MarshalYAML hides the value.
func (Secret) MarshalYAML() ([]byte, error) { return []byte(`"` + hidden + `"`), nil }

// resolver finds the values of references.
type resolver struct {
	lookupEnv func(string) (string, bool)
	home, dir string
	// spare means that the secret is not in use: a file that others can read is read
	// too, because its text is to be redacted.
	spare bool
}

// isVariable says whether a name can be an environment variable's; a secret rarely can.
func isVariable(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

// splitReference checks the form of a reference. It does not repeat the text, which may
// be the secret itself.
func splitReference(text string) (scheme, rest string, err error) {
	scheme, rest, ok := strings.Cut(text, ":")
	switch {
	case ok && scheme == "env" && isVariable(rest), ok && scheme == "file" && rest != "":
		return scheme, rest, nil
	case ok && scheme == "credential" && rest != "" && !strings.ContainsAny(rest, `/\`) && rest != "." && rest != "..":
		return scheme, rest, nil
	default:
		return "", "", errors.New("a secret is never written into this file: write env:NAME, file:PATH or credential:NAME")
	}
}

func (r resolver) resolve(reference string) (string, error) {
	scheme, rest, err := splitReference(reference)
	if err != nil {
		return "", err
	}
	var value string
	switch scheme {
	case "env":
		v, ok := r.lookupEnv(rest)
		if !ok || v == "" {
			return "", fmt.Errorf("the environment variable %s is not set: export it, or name another place", rest)
		}
		value = v
	case "file":
		path := expand(rest, r.home, r.dir)
		forbidden := othersMode
		if r.spare {
			forbidden = 0
		}
		value, err = readSecret(path, forbidden)
	default:
		folder, ok := r.lookupEnv("CREDENTIALS_DIRECTORY")
		if !ok || folder == "" {
			return "", fmt.Errorf("credential:%s needs a systemd unit with LoadCredential=%s:PATH: CREDENTIALS_DIRECTORY is not set", rest, rest)
		}
		value, err = readSecret(filepath.Join(folder, rest), 0)
	}
	if err != nil {
		return "", err
	}
	return value, oneLine(reference, value)
}

// oneLine is the error for a value that is no line.
func oneLine(reference, value string) error {
	if strings.ContainsFunc(value, unicode.IsControl) {
		return fmt.Errorf("%s holds control characters or several lines: it must be one line", reference)
	}
	return nil
}

// fileOf is the file of a reference, whose value is known; nil for another one.
func (r resolver) fileOf(reference, value string) *secretFile {
	scheme, rest, err := splitReference(reference)
	if err != nil || scheme != "file" {
		return nil
	}
	return &secretFile{path: expand(rest, r.home, r.dir), value: value}
}

// readSecret reads the one line of a file without any of the forbidden mode bits, which
// would open it to others.
func readSecret(path string, forbidden os.FileMode) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("the secret's file cannot be read: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxSecret {
		return "", fmt.Errorf("%s is not a file of at most %d bytes", path, maxSecret)
	}
	if info.Mode().Perm()&forbidden != 0 {
		return "", fmt.Errorf("%s can be read by others (mode %04o): run chmod 600 %s", path, info.Mode().Perm(), path)
	}
	raw, err := os.ReadFile(path) //nolint:gosec // the operator names the file
	if err != nil {
		return "", fmt.Errorf("the secret's file cannot be read: %w", err)
	}
	value := strings.TrimRight(string(raw), "\r\n")
	if value == "" {
		return "", fmt.Errorf("%s is empty: write the secret into it", path)
	}
	return value, nil
}

// expand makes a path of the file absolute: ~ is home, anything else is relative to dir.
func expand(path, home, dir string) string {
	if path == "~" || strings.HasPrefix(path, "~/") {
		return filepath.Join(home, path[1:])
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
