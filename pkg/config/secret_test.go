package config_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"parley/pkg/config"
)

func TestSecretNeverShowsItself(t *testing.T) {
	t.Parallel()
	const value = "sk-hidden-canary"
	type holder struct {
		Key   config.Secret  `json:"key" yaml:"key"`
		Keyed *config.Secret `json:"keyed" yaml:"keyed"`
	}
	s := config.NewSecret(value)
	h := holder{Key: s, Keyed: &s}
	var shown []string
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%10.3s"} {
		shown = append(shown, fmt.Sprintf(verb, s), fmt.Sprintf(verb, h), fmt.Sprintf(verb, []any{s, h}))
	}
	shown = append(shown, s.String(), s.GoString(), fmt.Sprint(s), fmt.Errorf("x: %w", fmt.Errorf("%v", h)).Error())
	for name, encode := range map[string]func(any) ([]byte, error){"json": json.Marshal, "yaml": yaml.Marshal} {
		raw, err := encode(h)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		shown = append(shown, string(raw))
	}
	text, err := s.MarshalText()
	if err != nil {
		t.Error(err)
	}
	shown = append(shown, string(text))
	for _, got := range shown {
		if strings.Contains(got, "canary") || strings.Contains(got, fmt.Sprintf("%x", value)) || !strings.Contains(got, "[redacted]") {
			t.Errorf("shows %q", got)
		}
	}
	if s.Reveal() != value || !s.IsSet() || (config.Secret{}).IsSet() {
		t.Error("Reveal or IsSet is wrong")
	}
}

func TestSecretPlaces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	private := file("private", "from-a-file\n", 0o600)
	file("relative", "from-beside\r\n", 0o400)
	file("credential", "from-systemd", 0o440)
	file("home", "from-home", 0o600)
	o := options()
	o.Home = dir
	o.LookupEnv = func(name string) (string, bool) {
		v, ok := map[string]string{"KEY": "from-the-environment", "CREDENTIALS_DIRECTORY": dir, "LINES": "a\nb"}[name]
		return v, ok
	}
	tests := []struct{ reference, value, problem string }{
		{"env:KEY", "from-the-environment", ""},
		{"file:" + private, "from-a-file", ""},
		{"file:relative", "from-beside", ""},
		{"file:~/home", "from-home", ""},
		{"credential:credential", "from-systemd", ""},
		{"file:" + file("group", "secret-canary", 0o640), "", "can be read by others (mode 0640): run chmod 600"},
		{"file:" + file("others", "secret-canary", 0o604), "", "can be read by others (mode 0604)"},
		{"file:" + file("empty", "\n", 0o600), "", "is empty"},
		{"file:" + file("lines", "secret-canary\nmore\n", 0o600), "", "must be one line"},
		{"file:" + filepath.Join(dir, "none"), "", "cannot be read"},
		{"file:" + dir, "", "is not a file"},
		{"env:LINES", "", "must be one line"},
		{"env:NONE", "", "NONE is not set"},
		{"credential:none", "", "cannot be read"},
	}
	for _, tt := range tests {
		t.Run(tt.reference, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(dir, strings.ReplaceAll(t.Name(), "/", "_")+".yaml")
			text := fmt.Sprintf("models: {main: {model: m, api_key: %q}}", tt.reference)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			cfg, err := config.Load(path, o)
			if tt.problem != "" {
				if err == nil || !strings.Contains(err.Error(), tt.problem) || strings.Contains(err.Error(), "canary") {
					t.Errorf("error %v, want %q", err, tt.problem)
				}
				return
			}
			if err != nil || cfg.Models["main"].APIKey.Reveal() != tt.value {
				t.Errorf("got %v, %v", cfg, err)
			}
		})
	}
}
