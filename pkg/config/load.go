package config

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"

	"parley/pkg/strictyaml"
)

// maxFile is the largest file that is read.
const maxFile = 256 << 10

// maxLevels bounds the nesting of the text.
const maxLevels = 100

// Options are the things that [Load] needs from its surroundings.
type Options struct {
	// LookupEnv finds an environment variable.
	LookupEnv func(string) (string, bool)
	// Home stands for ~.
	Home string
	// Built names the channels that this gateway can run.
	Built []string
	// WithoutSecrets leaves every secret unresolved: for commands that talk to no one.
	WithoutSecrets bool
	// Owner, User, Group and Place check an entry of owners, an id of a channel's
	// list of people and of groups, and a key of tools.chats; nil accepts all.
	Owner func(string) error
	User  func(channel, id string) error
	Group func(channel, id string) error
	Place func(string) error
	// Prompt checks the file of a chat's prompt; nil accepts all. It is not asked
	// WithoutSecrets.
	Prompt func(path string) error
	// Kinds are the values of kind; nil accepts any.
	Kinds []string
	// Sees says of a model without the key images whether it takes pictures, and Unguided
	// that one takes no reasoning_effort; nil says no.
	Sees, Unguided func(*Model) bool
	// Pattern checks an entry of tools.files.allow and refuse; nil accepts all.
	Pattern func(string) error
	// Tools lists the tools there are with such a configuration; nil accepts any
	// name. It is asked only where the file names one.
	Tools func(*Config) []string
	// CheckTools reports mistakes in rules of tools and in composed tools, each under
	// the path of its key; nil accepts all.
	CheckTools func(cfg *Config, report func(path string, err error))
}

// Load reads the file at path. The error is a [*strictyaml.Error] that lists all
// mistakes, or says that the file cannot be read (and wraps [os.ErrNotExist] when it is
// missing).
func Load(path string, o Options) (*Config, error) {
	cfg, err := Inspect(path, o)
	if err != nil {
		return nil, err
	}
	return cfg, nil
}

// Parse is [Load] for the text of a file that is still to be written to path.
func Parse(path string, raw []byte, o Options) (*Config, error) {
	cfg, err := parse(path, raw, o)
	if err != nil {
		return nil, err
	}
	return cfg, nil
}

// Inspect is [Load] for a look at a file that may be wrong: beside an error it gives the
// configuration as far as it could be read, or nil. Its values may break the rules then.
func Inspect(path string, o Options) (*Config, error) {
	raw, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return parse(path, raw, o)
}

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("the configuration cannot be read: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("the configuration %s is not a regular file", path)
	}
	f, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, fmt.Errorf("the configuration cannot be read: %w", err)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("the configuration cannot be read: %w", err)
	}
	if len(raw) > maxFile {
		return nil, fmt.Errorf("the configuration %s is larger than %d bytes", path, maxFile)
	}
	return raw, nil
}

func parse(path string, raw []byte, o Options) (*Config, error) {
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	root, problem := tree(raw)
	if problem != nil {
		problem.File = path
		return nil, strictyaml.NewError(*problem)
	}
	w := newWalker(path)
	cfg := Default(o.Home)
	cfg.Workspace = ""
	w.yaml.Walk(root, cfg)
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("the configuration's folder: %w", err)
	}
	w.named("state_dir", "folder", cfg.StateDir)
	w.named("workspace", "folder", cfg.Workspace)
	if o.Home == "" {
		w.homeless("state_dir", cfg.StateDir)
		w.homeless("workspace", cfg.Workspace)
	}
	cfg.StateDir = expand(cfg.StateDir, o.Home, dir)
	if cfg.Workspace == "" {
		cfg.Workspace = filepath.Join(cfg.StateDir, "workspace")
	}
	cfg.Workspace = expand(cfg.Workspace, o.Home, dir)
	w.prompts(cfg, o.Home, dir)
	w.natives(cfg)
	w.pictures(cfg, o.Sees)
	w.shareTelegram(&cfg.Channels.Telegram)
	checker{yaml: w.yaml, cfg: cfg, options: o}.run()
	if !o.WithoutSecrets {
		w.resolve(cfg, resolver{lookupEnv: o.LookupEnv, home: o.Home, dir: dir})
		w.telegramSecrets(&cfg.Channels.Telegram)
		w.oncePerBot(&cfg.Channels.Telegram)
		w.strangeBots(cfg)
		w.slackSecrets(&cfg.Channels.Slack)
	}
	if err := w.yaml.Err(); err != nil {
		return cfg, err
	}
	for _, note := range w.yaml.Notes() {
		cfg.notes = append(cfg.notes, note.String())
	}
	return cfg, nil
}

// tree reads the text into its document.
func tree(raw []byte) (ast.Node, *strictyaml.Problem) {
	if utf8.Valid(raw) {
		if p := strictyaml.Control(raw); p != nil {
			return nil, p
		}
	}
	return strictyaml.Parse(string(raw), maxLevels)
}

// homeless reports a folder that only a home folder would give a place.
func (w *walker) homeless(path, folder string) {
	if strings.HasPrefix(folder, "~") || path == "state_dir" && !w.yaml.Written(path) {
		w.at(path, "HOME is not set: write an absolute path, or set HOME")
	}
}

// resolve finds the secrets. Those of a disabled channel, and of a model that only a person
// may choose, may be missing; where they are present, they are known all the same.
func (w *walker) resolve(cfg *Config, r resolver) {
	for i, ref := range w.references {
		if strings.HasSuffix(ref.path, "]") && slices.ContainsFunc(w.references[:i], ref.repeats) {
			w.at(ref.path, "is in this list already: keep one")
		}
		used := cfg.uses(ref.path)
		r.spare = !used && !strings.HasPrefix(ref.path, "models.")
		value, err := r.resolve(ref.text)
		if err != nil && !used {
			r.spare = true
			value, _ = r.resolve(ref.text)
		}
		if r.spare {
			cfg.spare = append(cfg.spare, value)
			continue
		}
		if err != nil {
			w.at(ref.path, "%v", err)
			continue
		}
		ref.into.value, ref.into.file = value, r.fileOf(ref.text, value)
	}
}

func (c *Config) uses(path string) bool {
	switch parts := strings.Split(path, "."); parts[0] {
	case "models":
		return c.inUse(modelOf(path))
	case "channels":
		return parts[1] == "telegram" && c.Channels.Telegram.Enabled || parts[1] == "slack" && c.Channels.Slack.uses(path)
	default:
		return true
	}
}

// Secrets lists the values of every secret that was resolved, those of disabled
// channels and the passwords of proxies among them, for a redactor.
func (c *Config) Secrets() []string {
	t, s := c.Channels.Telegram, c.Channels.Slack
	all := []Secret{t.Token, t.Webhook.Secret, s.BotToken, s.AppToken, s.Events.SigningSecret, c.Tools.Web.Search.BraveKey}
	for _, bot := range t.Accounts {
		all = append(all, bot.Token, bot.Webhook.Secret)
	}
	for _, m := range c.Models {
		all = append(all, m.Keys()...)
	}
	values := slices.Clone(c.spare)
	for _, secret := range all {
		values = append(values, secret.value)
	}
	proxies := []string{s.Proxy}
	for _, bot := range t.Bots() {
		proxies = append(proxies, bot.Proxy)
	}
	for _, proxy := range proxies {
		if u, err := url.Parse(proxy); err == nil {
			password, _ := u.User.Password()
			values = append(values, password)
		}
	}
	return slices.DeleteFunc(values, func(s string) bool { return s == "" })
}
