package memory

import (
	"context"

	"parley/pkg/session"
	"parley/pkg/session/engine/rules"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/engine/writer"
)

// Facts are the facts of a store.
type Facts struct{ w *writer.Writer }

var _ session.Facts = Facts{}

// New reads and writes the facts of a store.
func New(w *writer.Writer) Facts { return Facts{w} }

// Remember stores a fact.
func (m Facts) Remember(ctx context.Context, f session.Fact, instead string) (stored session.Fact, err error) {
	err = m.w.Do(ctx, func(t *table.Tx) error {
		stored, err = rules.Remember(t, f, instead)
		return err
	})
	return stored, err
}

// Facts are those of a scope.
func (m Facts) Facts(_ context.Context, s session.FactScope) (all []session.Fact, err error) {
	err = m.w.View(func(t *table.Tx) error {
		all = rules.FactsOf(t, s)
		return nil
	})
	return all, err
}

// ForgetFact removes a fact.
func (m Facts) ForgetFact(ctx context.Context, s session.FactScope, id string) error {
	return m.w.Do(ctx, func(t *table.Tx) error { return rules.ForgetFact(t, s, id) })
}
