package tools

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"parley/pkg/text"
	"parley/pkg/tools/internal/counts"
	"parley/pkg/tools/internal/offer"
)

// catalog holds the registered tools; a registry shares it with its views. Readers take
// the snapshot as it is; writers replace it under mu.
type catalog struct {
	options Options
	mu      sync.Mutex
	now     atomic.Pointer[snapshot]
	// unknown counts the calls of names without a tool.
	unknown counts.Tool
	// changes grows when a call that may change something begins and when it ends.
	changes atomic.Uint64
}

// snapshot is the state of a catalog at one time.
type snapshot struct {
	byName map[string]*entry
	sorted []*entry
	off    map[string]bool
	// offered are the lists that were asked for, by their mask over sorted.
	offered *offer.Lists
}

// whyNot says why a tool cannot be called.
func (s *snapshot) whyNot(e *entry) error {
	if s.off[e.name] {
		return errors.New("switched off")
	}
	return e.check()
}

func (c *catalog) register(name string, tool Tool, o RegisterOptions) error {
	log := &c.options.Log
	e, err := newEntry(name, tool, o, log)
	if err != nil {
		log.Error().Err(err).Msg("a tool cannot be registered")
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.now.Load()
	prev := old.byName[e.name]
	if prev != nil && e.community && !prev.community {
		err := fmt.Errorf("tool %s: a built-in tool has this name", text.ClipBytes(e.name, 64))
		log.Warn().Err(err).Msg("a tool was not registered")
		return err
	}
	next := &snapshot{byName: maps.Clone(old.byName), off: old.off, offered: &offer.Lists{}}
	if next.byName == nil {
		next.byName = map[string]*entry{}
	}
	if prev != nil {
		e.counts = prev.counts
	}
	next.byName[e.name] = e
	next.sorted = slices.SortedFunc(maps.Values(next.byName), func(a, b *entry) int {
		return strings.Compare(a.name, b.name)
	})
	c.now.Store(next)
	switch _, annotated := tool.(Annotated); {
	case e.broken != nil:
		log.Error().Err(e.broken).Str("tool", text.ClipBytes(e.name, 64)).Msg("a tool is disabled")
	case !annotated:
		log.Info().Str("tool", text.ClipBytes(e.name, 64)).Str("needs", string(c.annotated(e).Level)).
			Msg("this tool says nothing of what it does: it counts as one that changes things; implement Annotations to say otherwise")
	}
	return nil
}

func (c *catalog) setEnabled(name string, on bool) bool { //nolint:revive // flag-parameter: the switch's position is the value
	c.mu.Lock()
	defer c.mu.Unlock()
	next := *c.now.Load()
	next.off = maps.Clone(next.off)
	if next.off == nil {
		next.off = map[string]bool{}
	}
	if on {
		delete(next.off, name)
	} else {
		next.off[name] = true
	}
	c.now.Store(&next)
	return next.byName[name] != nil
}

// annotated has a tool's annotations, with the operator's level.
func (c *catalog) annotated(e *entry) Annotations {
	a := e.annotations
	if level, ok := c.options.Levels[e.name]; ok {
		a.Level = level
	}
	return a
}

// limits adds the defaults to the annotations of a tool.
func (c *catalog) limits(e *entry) Annotations {
	a := c.annotated(e)
	if a.Timeout <= 0 {
		a.Timeout = c.options.Timeout
	}
	if a.MaxOutput <= 0 {
		a.MaxOutput = c.options.MaxOutput
	}
	if e.async && a.BackgroundLimit <= 0 {
		a.BackgroundLimit = defaultBackground
	}
	return a
}

// countersOf are the numbers of a name with a model.
func (c *catalog) countersOf(name, model string) *counts.Counters {
	if e := c.now.Load().byName[name]; e != nil {
		return e.counts.Of(model)
	}
	return c.unknown.Of(model)
}

// picked counts that a model asked for a tool; nil is a name without a tool.
func (c *catalog) picked(name, model string) *entry {
	c.countersOf(name, model).Picks.Add(1)
	return c.now.Load().byName[name]
}

func (c *catalog) redacted(s string) string {
	if c.options.Redact == nil {
		return s
	}
	return c.options.Redact(s)
}
