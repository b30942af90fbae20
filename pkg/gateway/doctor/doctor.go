package doctor

import (
	"context"
	"time"

	"parley/pkg/config"
	"parley/pkg/policy"
)

// Options are the surroundings of a look.
type Options struct {
	// Path is the configuration; Named says that the operator named it, so that it must be
	// there. Home is "" where it is unknown.
	Path  string
	Named bool
	Home  string

	LookupEnv func(string) (string, bool)
	// Redactor knows the secrets of the environment and of a configuration.
	Redactor func(*config.Config) *policy.Redactor
	// Offline leaves out the checks that ask servers.
	Offline bool
	// Limits bound the checks; zero values have defaults.
	Limits Limits
}

// Limits are how long checks may take.
type Limits struct {
	// Local bounds a look at this machine, Store that at the store, Server the questions to
	// a platform or to an address, Model the question to each model.
	Local, Store, Server, Model time.Duration
}

func (l *Limits) setDefaults() {
	for limit, usual := range map[*time.Duration]time.Duration{
		&l.Local: 15 * time.Second, &l.Store: time.Minute, &l.Server: 15 * time.Second, &l.Model: 30 * time.Second,
	} {
		if *limit <= 0 {
			*limit = usual
		}
	}
}

// Summary counts the findings by their verdicts.
type Summary struct {
	OK   int `json:"ok"`
	Warn int `json:"warn"`
	Fail int `json:"fail"`
	Skip int `json:"skip"`
}

func (s *Summary) count(v Verdict) {
	switch v {
	case OK:
		s.OK++
	case Warn:
		s.Warn++
	case Skip:
		s.Skip++
	default:
		s.Fail++
	}
}

// Run makes all checks, side by side, and shows their findings in the order of the table,
// each as soon as it and those before it are there. The error is the first one of show, or
// that of ctx.
func Run(ctx context.Context, o Options, show func(Finding) error) (Summary, error) {
	o.Limits.setDefaults()
	s := &setup{o: &o, redactor: o.Redactor(nil)}
	first := Check{Name: nameConfiguration, Limit: o.Limits.Local, Run: func(context.Context) []Finding { return s.read() }}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var sum Summary
	tell := func(found []Finding) error {
		for _, f := range found {
			f.clean(s.redactor.Redact)
			sum.count(f.Verdict)
			if err := show(f); err != nil {
				return err
			}
		}
		return context.Cause(ctx)
	}
	if err := tell(first.run(ctx, s.program())); err != nil {
		return sum, err
	}
	checks := s.checks()
	results := make([]chan []Finding, len(checks))
	for i := range checks {
		results[i] = make(chan []Finding, 1)
		go func() { results[i] <- checks[i].run(ctx, s.program()) }()
	}
	for i := range results {
		if err := tell(<-results[i]); err != nil {
			return sum, err
		}
	}
	return sum, nil
}
