package setup

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/config"
	"parley/pkg/gateway"
	"parley/pkg/gateway/admin"
	"parley/pkg/gateway/modelset"
	"parley/pkg/providers"
	"parley/pkg/providers/check"
	"parley/pkg/providers/kinds"
)

// Times of servers that are looked for, and of one whose address was given.
const (
	searchTime = 2 * time.Second
	listTime   = 10 * time.Second
)

// attempts is how often a question is asked until its answer fits.
const attempts = 3

// entry is a model of the plan.
type entry struct {
	name  string
	asks  *modelset.Candidate // nil for the built-in model
	model string
	// context is in tokens, kind a row of package kinds; zero values are not written.
	context int
	kind    string
}

// chooseModel has the model chosen and asked.
func (s *setup) chooseModel(ctx context.Context, p *plan) error {
	found, err := s.search(ctx)
	if err != nil {
		return err
	}
	p.found = found
	if s.Flags.Use != "" || s.Flags.URL != "" || s.Flags.Model != "" {
		e, err := s.flagged(ctx, found)
		if err != nil {
			return err
		}
		return s.settle(ctx, p, e)
	}
	if s.Ask == nil {
		return s.first(ctx, p)
	}
	for range attempts - 1 {
		e, err := s.askModel(ctx, found)
		if err != nil {
			return err
		}
		failed := s.settle(ctx, p, e)
		if _, unanswered := errors.AsType[*unansweredError](failed); !unanswered {
			return failed
		}
		if err := s.say("%v\n", failed); err != nil {
			return err
		}
	}
	e, err := s.askModel(ctx, found)
	if err != nil {
		return err
	}
	return s.settle(ctx, p, e)
}

// search finds the servers that can be asked, those with a key first.
func (s *setup) search(ctx context.Context) ([]modelset.Candidate, error) {
	found := modelset.Keyed(s.LookupEnv)
	for i := range found {
		c := &found[i]
		if c.Unread != "" {
			if err := s.say(textUnread, c.Unread, c.BaseURL); err != nil {
				return nil, err
			}
		}
		if c.Moved == "" || c.Provider != config.ProviderOpenAI {
			continue
		}
		usual := func(m modelset.Listed) bool { return m.ID == c.Models[0].ID }
		if all, err := s.list(ctx, c.BaseURL, c.Variable); err == nil && !slices.ContainsFunc(all, usual) {
			c.Models = all
		}
	}
	return append(found, modelset.Serving(ctx, s.LookupEnv, searchTime)...), nil
}

// list asks a server for its models, with the key of a variable or without one.
func (s *setup) list(ctx context.Context, baseURL, variable string) ([]modelset.Listed, error) {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	return modelset.List(ctx, baseURL, s.keyOf(variable))
}

func (s *setup) keyOf(variable string) string {
	if variable == "" {
		return ""
	}
	key, _ := s.LookupEnv(variable)
	return strings.TrimSpace(key)
}

// first takes the first of the servers whose model answers.
func (s *setup) first(ctx context.Context, p *plan) error {
	if len(p.found) == 0 {
		return s.say(textNothingFound)
	}
	var failures []error
	for i := range p.found {
		err := s.settle(ctx, p, entryOf(&p.found[i], p.found[i].Models[0]))
		if _, unanswered := errors.AsType[*unansweredError](err); !unanswered {
			return err
		}
		if err := s.say("%v\n", err); err != nil {
			return err
		}
		failures = append(failures, err)
	}
	if len(failures) == 1 {
		return admin.WithCode(admin.CodeFailed, errors.New(textNotWritten))
	}
	return admin.WithCode(admin.CodeFailed, errors.New(textNoneAnswered))
}

func entryOf(c *modelset.Candidate, m modelset.Listed) *entry {
	return &entry{name: c.Name, asks: c, model: m.ID, context: m.Context, kind: m.Kind}
}

// flagged is the model that the flags name.
func (s *setup) flagged(ctx context.Context, found []modelset.Candidate) (*entry, error) {
	f := &s.Flags
	if f.Use == modelset.Offline {
		return &entry{name: modelset.Offline}, nil
	}
	if f.URL != "" {
		c, err := s.other(ctx, f.URL)
		if err != nil && f.Model == "" {
			return nil, usage(err)
		}
		return s.named(c)
	}
	var names []string
	for i := range found {
		c := &found[i]
		if names = append(names, c.Name); f.Use == c.Name || f.Use == "" && len(found) == 1 {
			return s.named(c)
		}
	}
	has := func(m modelset.Listed) bool { return m.ID == f.Model }
	for i := range found {
		if c := &found[i]; f.Use == "" && slices.ContainsFunc(c.Models, has) {
			return s.named(c)
		}
	}
	if f.Use == "" {
		return nil, usage(fmt.Errorf(textWhichServer, f.Model, strings.Join(append(names, modelset.Offline), ", ")))
	}
	return nil, usage(fmt.Errorf(textNotFound, f.Use, strings.Join(append(names, modelset.Offline), ", ")))
}

// named is the model of a server that the flags name. Where they name none, a person is asked which
// of several is meant, and without a person it is the first.
func (s *setup) named(c *modelset.Candidate) (*entry, error) {
	name := s.Flags.Model
	switch {
	case name == "" && s.Ask != nil:
		return s.askOne(c)
	case name == "":
		return entryOf(c, c.Models[0]), nil
	}
	var ids []string
	for _, m := range c.Models {
		if m.ID == name || m.ID == name+":latest" {
			return entryOf(c, m), nil
		}
		ids = append(ids, m.ID)
	}
	if c.Variable == "" && len(ids) > 0 { // a server on this machine lists all that it has
		return nil, usage(fmt.Errorf(textNoSuchModel, c.Title, name, strings.Join(ids, ", ")))
	}
	return entryOf(c, modelset.Listed{ID: name}), nil
}

// other is a server at an address; the error says why its list cannot be had.
func (s *setup) other(ctx context.Context, address string) (*modelset.Candidate, error) {
	address = strings.TrimRight(strings.TrimSpace(address), "/")
	row, _ := kinds.Of("", address, "")
	c := &modelset.Candidate{Name: "main", Title: address, Provider: config.ProviderOpenAI, BaseURL: address}
	c.Variable = s.Flags.KeyEnv
	if k := serverRow(row.Server); k != nil {
		c.Name, c.Title = k.Name, k.Title
		if _, set := s.LookupEnv(k.Key); set && c.Variable == "" {
			c.Variable = k.Key
		}
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		return c, errors.New(textNoAddress)
	}
	if c.Models, err = s.list(ctx, address, c.Variable); err != nil && u.Path == "" {
		if models, again := s.list(ctx, address+"/v1", c.Variable); again == nil {
			c.BaseURL, c.Models, err = address+"/v1", models, nil
		}
	}
	return c, err
}

// unansweredError says that a model gave no answer to its question.
type unansweredError struct{ reason string }

func (e *unansweredError) Error() string { return e.reason }

// settle takes a model into the plan and asks it.
func (s *setup) settle(ctx context.Context, p *plan, e *entry) error {
	p.main = e
	if e.asks == nil {
		return s.say(textOffline)
	}
	cfg, err := s.parse(p)
	if err != nil {
		return err
	}
	if !s.Flags.Untested {
		if err := s.try(ctx, cfg, e); err != nil {
			return err
		}
	}
	return s.measure(ctx, e)
}

// try asks a model one question with a tool.
func (s *setup) try(ctx context.Context, cfg *config.Config, e *entry) error {
	if err := s.say(textTrying, e.model, e.asks.BaseURL); err != nil {
		return err
	}
	set, err := modelset.New(ctx, cfg, modelset.Options{
		LookupEnv: s.LookupEnv, Redactor: s.Redactor, Version: gateway.Version(), Log: zerolog.Nop(),
	})
	if err != nil {
		return usage(err)
	}
	begun := time.Now()
	return set.Try(ctx, []string{e.name}, s.Trial, func(r *check.Report) error {
		took := time.Since(begun).Round(10 * time.Millisecond)
		switch {
		case r.Verdicts[check.Answers] != check.Yes:
			return &unansweredError{s.Redactor.Redact(fmt.Sprintf(textNoAnswer, e.model, reason(r.Err), s.cure(r.Err, e)))}
		case r.Verdicts[check.Calls] != check.Yes:
			return s.say(textNoCall, e.model, took, e.name)
		}
		return s.say(textCalled, e.model, took)
	})
}

func reason(err error) string {
	if err == nil {
		return textSilent
	}
	return err.Error()
}

// cure says what helps against the failure of a model.
func (s *setup) cure(err error, e *entry) string {
	failure, ok := errors.AsType[*providers.Error](err)
	switch {
	case ok && failure.Kind == providers.KindAuth && e.asks.Variable == "":
		return textCureNoKey
	case ok && failure.Kind == providers.KindAuth:
		return fmt.Sprintf(textCureKey, e.asks.Variable)
	case ok && failure.Kind == providers.KindQuota:
		return textCureQuota
	case ok && failure.Kind == providers.KindNotFound:
		return textCureModel
	case ok && failure.Kind == providers.KindTimeout:
		return textCureLate
	}
	return textCureOther
}

// serverRow is the row of a server in the table of kinds, or nil.
func serverRow(name string) *kinds.Kind {
	rows := kinds.Servers()
	i := slices.IndexFunc(rows, func(k kinds.Kind) bool { return k.Name == name })
	if i < 0 {
		return nil
	}
	return &rows[i]
}

// measure asks a server that the operator started for the size of the model's context.
func (s *setup) measure(ctx context.Context, e *entry) error {
	row, _ := kinds.Of("", e.asks.BaseURL, e.model)
	k := serverRow(row.Server)
	if e.asks.Provider != config.ProviderOpenAI || k != nil && !k.Local {
		e.context, e.kind = 0, ""
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	e.context, e.kind = modelset.Program(ctx, e.asks.BaseURL, e.model, s.keyOf(e.asks.Variable))
	if e.kind == row.Server {
		e.kind = ""
	}
	switch {
	case e.context > 0:
		return s.say(textWindow, e.model, e.context)
	case e.asks.Variable == "":
		return s.say(textNoWindow, e.model)
	}
	return nil
}
