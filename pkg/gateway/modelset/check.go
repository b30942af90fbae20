package modelset

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/pkg/config"
	"parley/pkg/providers"
	"parley/pkg/providers/check"
	"parley/pkg/providers/toolmode"
)

// checksAtOnce is how many models are checked side by side.
const checksAtOnce = 4

// Checked are the models that [Set.Check] asks for a name: that one, or with "" all that
// have their keys, in the order of /model.
func (s *Set) Checked(name string) ([]string, error) {
	if name == "" {
		return s.order, nil
	}
	if _, ok := s.models[name]; ok {
		return []string{name}, nil
	}
	if slices.Contains(s.left, name) {
		return nil, fmt.Errorf("the model %s cannot be asked: a key that models.%s names is missing", name, name)
	}
	return nil, fmt.Errorf("there is no model %s: write one of %s", name, strings.Join(s.order, ", "))
}

// Left are the models that lack a key.
func (s *Set) Left() []string { return s.left }

// Check asks models what they can do, each by itself: no other steps in for it. Some are
// asked side by side, those of one program on this machine one after the other, because
// such a program often holds one model at a time. Take gets the reports in the order of
// the names, each as soon as it is there. The error is the first one of take, or that of
// ctx.
func (s *Set) Check(ctx context.Context, names []string, take func(*check.Report) error) error {
	return s.examine(ctx, names, check.Model, take)
}

// Try is [Set.Check] with one small question to each model and one attempt, which has so
// much time.
func (s *Set) Try(ctx context.Context, names []string, limit time.Duration, take func(*check.Report) error) error {
	return s.examine(ctx, names, func(ctx context.Context, subject *check.Subject) check.Report {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		subject.Provider = providers.Failover(providers.RetryPolicy{Attempts: 1}, targetsOf(s.cfg, &s.o)[subject.Name])
		return check.Call(ctx, subject)
	}, take)
}

// examination asks one model.
type examination = func(context.Context, *check.Subject) check.Report

func (s *Set) examine(ctx context.Context, names []string, ask examination, take func(*check.Report) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var working sync.WaitGroup
	defer working.Wait()
	defer cancel(nil)
	reports := make([]chan check.Report, len(names))
	for i := range reports {
		reports[i] = make(chan check.Report, 1)
	}
	groups := make(chan []int, len(names))
	for _, group := range s.apart(names) {
		groups <- group
	}
	close(groups)
	targets := targetsOf(s.cfg, &s.o)
	for range min(checksAtOnce, len(groups)) {
		working.Go(func() {
			for group := range groups {
				for _, i := range group {
					reports[i] <- ask(ctx, s.subject(names[i], targets[names[i]]))
				}
			}
		})
	}
	for i := range reports {
		r := <-reports[i]
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := take(&r); err != nil {
			return err
		}
	}
	return nil
}

func (s *Set) subject(name string, target providers.Target) *check.Subject {
	m := s.cfg.Models[name]
	return &check.Subject{
		Name: name, Model: modelName(m), Images: m.Images, Provider: providers.Failover(retrying(s.o.Log), target),
	}
}

// Windows are the models that can be asked with their contexts, in the order of /model.
func (s *Set) Windows() []Window {
	all := make([]Window, len(s.order))
	for i, name := range s.order {
		m := s.cfg.Models[name]
		_, here := onThisMachine(m)
		all[i] = Window{
			Name: name, Context: s.models[name].Context, Here: here,
			Tools: m.Provider != Offline && m.ToolMode != string(toolmode.None),
		}
	}
	return all
}

// Window is the context of a model in tokens; 0 is unknown. Tools says that it is offered
// tools, and Here that a program on this machine serves it.
type Window struct {
	Name        string
	Context     int
	Tools, Here bool
}

// apart are the places of models in groups: the models of a group are asked one after the
// other.
func (s *Set) apart(names []string) [][]int {
	var groups [][]int
	local := map[string]int{}
	for i, name := range names {
		port, here := onThisMachine(s.cfg.Models[name])
		if g, ok := local[port]; here && ok {
			groups[g] = append(groups[g], i)
			continue
		}
		if here {
			local[port] = len(groups)
		}
		groups = append(groups, []int{i})
	}
	return groups
}

// onThisMachine is the port of a model that a program here serves; the machine has several
// names, such as localhost and 127.0.0.1.
func onThisMachine(m *config.Model) (port string, here bool) {
	u, err := url.Parse(m.BaseURL)
	if err != nil || m.Provider == Offline {
		return "", false
	}
	return u.Port(), isHere(u.Hostname())
}
