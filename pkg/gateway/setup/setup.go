package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/pkg/config"
	"parley/pkg/durable"
	"parley/pkg/gateway"
	"parley/pkg/gateway/admin"
	"parley/pkg/policy"
)

// Options are the surroundings of a set-up.
type Options struct {
	// Path is the file of the configuration; Home is "" where it is unknown.
	Path, Home string
	LookupEnv  func(string) (string, bool)
	Redactor   *policy.Redactor
	// Say shows a text to the person. Ask asks for a line; nil asks nothing.
	Say func(text string) error
	Ask func(question string) (string, error)
	// Flags are the answers that the command line gives.
	Flags Flags
	// Admits says that the caller lets the first owner in where a platform is ready.
	Admits bool
	// Trial is the longest that a model may take to answer; default two minutes, for a
	// local model is loaded first.
	Trial time.Duration
}

// Flags are the answers of the command line. Zero values leave the question open.
type Flags struct {
	// Use names a server that was found, or offline; URL is the base URL of another one, and
	// KeyEnv the variable with its key. Model is the server's name for the model.
	Use, URL, KeyEnv, Model string
	// Channels are the platforms that are switched on; None says that there are none.
	Channels []string
	None     bool
	// Owners are people with the rights of the console: telegram:ID, slack:TEAM/ID.
	Owners []string
	// TelegramURL is the address of a Bot API server of one's own.
	TelegramURL string
	// Untested leaves the model unasked. Force replaces a file that is there.
	Untested, Force bool
}

// choices says whether one of the flags is an answer that a file would hold.
func (f *Flags) choices() bool {
	return f.Use != "" || f.URL != "" || f.KeyEnv != "" || f.Model != "" ||
		len(f.Channels) > 0 || len(f.Owners) > 0 || f.TelegramURL != ""
}

// Result is a set-up that was made.
type Result struct {
	Config *config.Config
	// New says that the configuration was written, not found.
	New bool
	// Ready are the platforms that are switched on and have their tokens, and on which
	// nobody is an owner yet.
	Ready []string
}

// Run makes the set-up.
func Run(ctx context.Context, o Options) (*Result, error) {
	if o.Trial <= 0 {
		o.Trial = 2 * time.Minute
	}
	s := &setup{Options: o}
	_, err := os.Lstat(o.Path)
	switch {
	case err == nil && !o.Flags.Force && o.Flags.choices():
		return nil, admin.WithCode(admin.CodeUsage, fmt.Errorf(textThere, o.Path))
	case err == nil && !o.Flags.Force:
		return s.keep()
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return nil, gateway.WrongPlace(err)
	}
	if err := s.checkFlags(); err != nil {
		return nil, err
	}
	p := &plan{path: o.Path, owners: o.Flags.Owners, telegramURL: o.Flags.TelegramURL}
	if err := s.chooseModel(ctx, p); err != nil {
		return nil, err
	}
	if err := s.choosePlatforms(p); err != nil {
		return nil, err
	}
	return s.finish(p)
}

// setup is a set-up under way.
type setup struct{ Options }

// keep is the set-up where a configuration is there: the workspace alone is made.
func (s *setup) keep() (*Result, error) {
	if err := s.say(textStays, s.Path, admin.Program()); err != nil {
		return nil, err
	}
	o := gateway.ConfigOptions(s.LookupEnv)
	o.Home, o.WithoutSecrets = s.Home, true
	cfg, err := config.Load(s.Path, o)
	if err != nil {
		return nil, admin.WithCode(admin.CodeUsage, err)
	}
	if err := gateway.InitWorkspace(cfg); err != nil {
		return nil, err
	}
	return &Result{Config: cfg}, s.say(textNext, cfg.Workspace, admin.Program())
}

func (s *setup) checkFlags() error {
	f := &s.Flags
	switch {
	case f.Use != "" && f.URL != "":
		return usage(errors.New(textUseAndURL))
	case f.KeyEnv != "" && f.URL == "":
		return usage(errors.New(textKeyWithoutURL))
	}
	for _, name := range f.Channels {
		if !slices.Contains(platforms(), name) {
			return usage(fmt.Errorf(textNoPlatform, name, strings.Join(platforms(), ", ")))
		}
	}
	return nil
}

func usage(err error) error { return admin.WithCode(admin.CodeUsage, err) }

// parse reads the text of a plan as the gateway would.
func (s *setup) parse(p *plan) (*config.Config, error) {
	o := gateway.ConfigOptions(s.LookupEnv)
	o.Home = s.Home
	cfg, err := config.Parse(s.Path, []byte(p.render()), o)
	if err != nil {
		return nil, usage(err)
	}
	for _, secret := range cfg.Secrets() {
		s.Redactor.Add(secret)
	}
	return cfg, nil
}

// finish writes the file and tells the steps that are left.
func (s *setup) finish(p *plan) (*Result, error) {
	cfg, err := s.parse(p)
	if err != nil {
		return nil, err
	}
	old, err := s.write(p.render())
	if err != nil {
		return nil, gateway.WrongPlace(err)
	}
	if old != "" {
		err = s.say(textKept, old)
	}
	if err := errors.Join(err, s.say(textWrote, s.Path), gateway.InitWorkspace(cfg)); err != nil {
		return nil, err
	}
	r := &Result{Config: cfg, New: true}
	for _, one := range p.platforms {
		if one.on && len(p.owners) == 0 {
			r.Ready = append(r.Ready, one.name)
		}
		if one.on && s.Admits {
			continue
		}
		if err := s.say("%s", one.steps(p.path)); err != nil {
			return nil, err
		}
	}
	if s.Admits && len(r.Ready) > 0 {
		return r, nil
	}
	return r, s.say(textNext, cfg.Workspace, admin.Program())
}

func (s *setup) say(format string, args ...any) error {
	return s.Say(s.Redactor.Redact(fmt.Sprintf(format, args...)))
}

// write writes the file, which only its owner can read. A file that is replaced is kept as
// old.
func (s *setup) write(text string) (old string, err error) {
	const mode = 0o700
	folder := filepath.Dir(s.Path)
	if err := os.MkdirAll(folder, mode); err != nil {
		return "", err
	}
	if s.Flags.Force {
		if old, err = keepFormer(s.Path); err != nil {
			return "", err
		}
		return old, durable.Replace(s.Path, content(text))
	}
	f, err := os.OpenFile(s.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return "", err
	}
	return "", errors.Join(durable.Fill(f, content(text)), durable.SyncDir(folder))
}

const fileMode = 0o600

// keepFormer copies a file that is there, and returns the copy; "" where there is none.
func keepFormer(path string) (old string, err error) {
	former, err := os.ReadFile(path) //nolint:gosec // the operator names the file
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	}
	old = path + ".old"
	return old, durable.Replace(old, content(string(former)))
}

func content(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// NoInput is an input that has nothing, for a gateway beside which a person is asked.
func NoInput() (*os.File, error) { return os.Open(os.DevNull) }
