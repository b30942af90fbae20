package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"unicode"

	"parley/pkg/config"
	"parley/pkg/gateway"
	"parley/pkg/gateway/admin"
	"parley/pkg/gateway/toolset"
	"parley/pkg/policy"
	"parley/pkg/strictyaml"
)

// setup is the set-up that is looked at.
type setup struct {
	o        *Options
	redactor *policy.Redactor
	// cfg is the configuration as far as it could be read; nil where not even a folder is
	// known.
	cfg *config.Config
	// sound says that the configuration keeps the rules, apart from secrets that cannot be
	// had: only then servers are asked.
	sound bool
	// faulty are the keys of those secrets.
	faulty []string

	running func(context.Context) (*admin.StatusReport, error)
	tools   func() toolset.View
}

// program is the program as a command begins with it, for cures.
func (s *setup) program() string {
	if !s.o.Named {
		return admin.Program()
	}
	path := s.o.Path
	if strings.ContainsFunc(path, unsafeInShell) {
		path = "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return admin.Program() + " --config " + path
}

func unsafeInShell(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-+:@%,", r)
}

// maxProblems is how many mistakes of a configuration are shown.
const maxProblems = 20

// read reads the configuration, and says how good it is.
func (s *setup) read() []Finding {
	found := s.load()
	if s.cfg == nil {
		return found
	}
	s.redactor = s.o.Redactor(s.cfg)
	s.running = onceStatus(s.cfg.StateDir)
	s.tools = sync.OnceValue(func() toolset.View { return toolset.Look(s.cfg, s.o.LookupEnv) })
	if info, err := os.Stat(s.o.Path); err == nil && info.Mode().Perm()&othersWrite != 0 {
		found = append(found, Finding{
			nameConfiguration, Fail, fmt.Sprintf(textOthersWrite, s.o.Path, info.Mode().Perm()), fmt.Sprintf(textChmod, "go-w", s.o.Path),
		})
	}
	if !s.sound {
		return found
	}
	for _, note := range s.cfg.Notes() {
		found = append(found, Finding{nameConfiguration, Warn, note, textNoteCure})
	}
	if err := gateway.Check(s.cfg); err != nil {
		found = append(found, Finding{nameConfiguration, Fail, err.Error(), fmt.Sprintf(textCheckCure, s.program())})
	}
	if len(found) == 0 {
		found = []Finding{{nameConfiguration, OK, fmt.Sprintf(textGood, s.o.Path), ""}}
	}
	return found
}

// load reads the file and gives its faults. With none, there is a finding only where there
// is no file.
func (s *setup) load() []Finding {
	if s.o.Home == "" && !s.o.Named {
		return []Finding{{nameConfiguration, Fail, textNoHome, textNoHomeCure}}
	}
	o := gateway.ConfigOptions(s.o.LookupEnv)
	o.Home = s.o.Home
	cfg, err := config.Inspect(s.o.Path, o)
	switch {
	case err == nil:
		s.cfg, s.sound = cfg, true
		return nil
	case errors.Is(err, fs.ErrNotExist) && !s.o.Named:
		s.cfg, s.sound = config.Default(s.o.Home), true
		return []Finding{{nameConfiguration, OK, fmt.Sprintf(textNoFile, s.o.Path), ""}}
	case errors.Is(err, fs.ErrNotExist):
		return []Finding{{nameConfiguration, Fail, fmt.Sprintf(textNoNamed, s.o.Path), fmt.Sprintf(textInit, s.program())}}
	}
	if s.cfg = cfg; cfg == nil && s.o.Home != "" && !s.o.Named {
		s.cfg = config.Default(s.o.Home)
	}
	wrong, ok := errors.AsType[*strictyaml.Error](err)
	if !ok {
		return []Finding{{nameConfiguration, Fail, err.Error(), fmt.Sprintf(textUnreadableCure, s.o.Path)}}
	}
	o.WithoutSecrets = true
	if _, err := config.Load(s.o.Path, o); err == nil {
		s.sound = true
	}
	return s.mistakes(wrong.Problems)
}

func (s *setup) mistakes(problems []strictyaml.Problem) []Finding {
	var found []Finding
	for i, p := range problems {
		s.faulty = append(s.faulty, p.Path)
		if i < maxProblems {
			cure := fmt.Sprintf(textMistakeCure, p.Line, s.o.Path, s.program())
			if isSecret(p.Path) && s.sound {
				cure = fmt.Sprintf(textSecretCure, s.program())
			}
			found = append(found, Finding{nameConfiguration, Fail, p.String(), cure})
		}
	}
	if more := len(problems) - maxProblems; more > 0 {
		found = append(found, Finding{
			nameConfiguration, Fail, fmt.Sprintf(textMoreMistakes, more), fmt.Sprintf(textCheckCure, s.program()),
		})
	}
	return found
}

// isSecret says of a key that its value is a secret.
func isSecret(path string) bool {
	last := path[strings.LastIndex(path, ".")+1:]
	return slices.ContainsFunc([]string{"key", "token", "secret"}, func(word string) bool { return strings.Contains(last, word) })
}

// lacks says that the secret of a key cannot be had, or is the wrong one.
func (s *setup) lacks(key string) bool { return slices.Contains(s.faulty, key) }

// onceStatus asks the gateway that runs on a state folder, once; the report is nil where
// none runs.
func onceStatus(stateDir string) func(context.Context) (*admin.StatusReport, error) {
	var once sync.Mutex
	var report *admin.StatusReport
	var failed error
	asked := false
	return func(ctx context.Context) (*admin.StatusReport, error) {
		once.Lock()
		defer once.Unlock()
		if asked {
			return report, failed
		}
		asked = true
		none := func(context.Context, func(json.RawMessage) error) error { return admin.ErrNotRunning }
		failed = admin.Ask(ctx, stateDir, admin.Status(), admin.Request{}, func(raw json.RawMessage) error {
			report = &admin.StatusReport{}
			return json.Unmarshal(raw, report)
		}, none)
		if errors.Is(failed, admin.ErrNotRunning) {
			failed = nil
		}
		return report, failed
	}
}

// runs says whether a gateway runs on the state folder, as far as that can be told.
func (s *setup) runs(ctx context.Context) bool {
	report, err := s.running(ctx)
	return err == nil && report != nil
}

// The checks of one kind of part.
type (
	folders   struct{ setup *setup }
	models    struct{ setup *setup }
	platforms struct{ setup *setup }
)
