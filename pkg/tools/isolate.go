package tools

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"time"
)

// source gives every call the value that it runs on, in one of the four ways
// that [ToolRegistry] describes. Which one is decided once.
type source struct {
	make func() (Tool, error)
	// hold is set where the registered value itself is lent; why says what keeps it from being copied.
	hold *hold
	why  string
	// original is set where calls run on copies of it, as it was in registered.
	original, registered reflect.Value
	told                 atomic.Bool
}

// hold lends a value to one call at a time: the token in free is the right to it.
type hold struct {
	tool Tool
	free chan struct{}
	// injected says that a call left its channel and chat in the value. Only
	// who holds the value touches it.
	injected bool
}

// loan is one call's hold of a value; outer are the loans that surround it.
type loan struct {
	hold  *hold
	outer *loan
	over  atomic.Bool
}

// end gives the value back; a second call does nothing.
func (l *loan) end() {
	if l != nil && l.over.CompareAndSwap(false, true) {
		l.hold.free <- struct{}{}
	}
}

// covers says whether a call within l would wait for a loan that cannot end before it.
func (l *loan) covers(h *hold) bool {
	for ; l != nil; l = l.outer {
		if l.hold == h && !l.over.Load() {
			return true
		}
	}
	return false
}

func newSource(tool Tool, factory func() Tool) *source {
	if c, ok := tool.(Cloner); ok && clones(tool, c) {
		return &source{make: func() (Tool, error) { return protect(func() (Tool, error) { return c.Clone(), nil }) }}
	}
	if factory != nil {
		return &source{make: func() (Tool, error) { return fromFactory(factory) }}
	}
	_, contextual := tool.(ContextualTool)
	_, async := tool.(AsyncTool)
	if !contextual && !async {
		return &source{make: func() (Tool, error) { return tool, nil }}
	}
	why := obstacle(reflect.ValueOf(tool))
	if why == "" {
		return copying(tool)
	}
	h := &hold{tool: tool, free: make(chan struct{}, 1)}
	h.free <- struct{}{}
	return &source{hold: h, why: why}
}

// clones says whether Clone gives another value of the same type. It does not
// where a wrapper only inherits the Clone of the tool that it wraps.
func clones(tool Tool, c Cloner) bool {
	clone, err := protect(func() (Tool, error) { return c.Clone(), nil })
	if err != nil || isNil(clone) || reflect.TypeOf(clone) != reflect.TypeOf(tool) {
		return false
	}
	v := reflect.ValueOf(tool)
	return v.Kind() != reflect.Pointer || v.Pointer() != reflect.ValueOf(clone).Pointer()
}

// copying makes shallow copies of the value as it is now.
func copying(tool Tool) *source {
	v := reflect.ValueOf(tool)
	if v.Kind() != reflect.Pointer {
		return &source{make: func() (Tool, error) { return tool, nil }}
	}
	t := v.Type().Elem()
	registered := reflect.New(t).Elem()
	registered.Set(v.Elem())
	return &source{original: v.Elem(), registered: registered, make: func() (Tool, error) {
		c := reflect.New(t)
		c.Elem().Set(registered)
		value, ok := reflect.TypeAssert[Tool](c)
		if !ok {
			return nil, errors.New("the copy is not a tool")
		}
		return value, nil
	}}
}

// changed says once that the original is not as it was registered any more.
func (s *source) changed() bool {
	return s.original.IsValid() && !s.told.Load() && !sameFields(s.original, s.registered) && s.told.CompareAndSwap(false, true)
}

// sameFields compares what a shallow copy copies. Functions of the same code count as
// the same, and so do values that cannot be compared.
func sameFields(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			if !sameFields(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Array:
		for i := range a.Len() {
			if !sameFields(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Func:
		return a.Pointer() == b.Pointer()
	default:
		return !a.Comparable() || !b.Comparable() || a.Equal(b)
	}
}

// obstacle names what keeps a tool from being copied for a call; it is empty
// where nothing does.
func obstacle(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return "it is not a struct"
	}
	return obstacleIn(v)
}

func obstacleIn(v reflect.Value) string {
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		if why := fieldObstacle(f, v.Field(i)); why != "" {
			return "field " + f.Name + " " + why
		}
	}
	return ""
}

//nolint:exhaustive // every other kind is a plain value
func fieldObstacle(f reflect.StructField, v reflect.Value) string {
	t := v.Type()
	if isLock(t) {
		return "is a lock or an atomic"
	}
	switch t.Kind() {
	case reflect.Map, reflect.Slice, reflect.Chan, reflect.UnsafePointer:
		return "is a " + t.Kind().String()
	case reflect.Struct:
		// What lies in the struct itself is copied with it, SetContext or not.
		return obstacleIn(v)
	case reflect.Array:
		if t.Len() > 0 {
			return fieldObstacle(reflect.StructField{}, v.Index(0))
		}
	case reflect.Pointer, reflect.Interface:
		if f.Anonymous {
			return "is an embedded " + t.Kind().String()
		}
		if takesFacts(t) || t.Kind() == reflect.Interface && !v.IsNil() && takesFacts(v.Elem().Type()) {
			return "is a tool that takes a chat or a callback"
		}
	}
	return ""
}

// isLock also knows types that are marked as not to be copied by having Lock and Unlock.
func isLock(t reflect.Type) bool {
	pkg := t.PkgPath()
	return pkg == "sync" || pkg == "sync/atomic" ||
		t.Kind() == reflect.Struct && reflect.PointerTo(t).Implements(reflect.TypeFor[sync.Locker]())
}

func takesFacts(t reflect.Type) bool {
	_, c := t.MethodByName("SetContext")
	_, a := t.MethodByName("SetCallback")
	return c || a
}

// take gives a call its value. It waits for a held one no longer than wait.
func (e *entry) take(ctx context.Context, wait time.Duration) (Tool, *loan, *Error) {
	s := e.values.Load()
	if s == nil {
		var fail *Error
		if s, fail = e.constructed(ctx, wait); fail != nil {
			return nil, nil, fail
		}
	}
	if s.hold != nil {
		l, fail := s.hold.lend(ctx, wait)
		return s.hold.tool, l, fail
	}
	if s.changed() {
		e.log.Warn().Str("tool", clip(e.name, 64)).
			Msg("the fields of this tool changed after it was registered, and calls run on copies of what it was then: set them before, or register it by RegisterFunc")
	}
	tool, err := s.make()
	if err == nil && isNil(tool) {
		err = errors.New("there is no value for this call")
	}
	if err == nil {
		err = e.alike(tool)
	}
	if err != nil {
		return nil, nil, Fail(ErrExecutionFailed, "the tool could not be prepared", nil).Because(err)
	}
	return tool, nil, nil
}

// alike refuses a value that would miss the facts of its call.
func (e *entry) alike(tool Tool) error {
	_, contextual := tool.(ContextualTool)
	_, async := tool.(AsyncTool)
	if contextual != e.contextual || async != e.async {
		return fmt.Errorf("%T takes other facts than the registered %T", tool, e.tool)
	}
	return nil
}

// lend waits for the value.
func (h *hold) lend(ctx context.Context, wait time.Duration) (*loan, *Error) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	outer := scopeFrom(ctx).held
	if outer.covers(h) {
		return nil, Fail(ErrBusy, "the tool cannot be called from within its own call", nil)
	}
	select {
	case <-h.free:
		return &loan{hold: h, outer: outer}, nil
	case <-timer.C:
		return nil, Fail(ErrBusy, "the tool is serving another call; try again later", nil)
	case <-ctx.Done():
		return nil, interrupted(false).Because(ctx.Err())
	}
}

// constructed makes the value of a tool that is constructed lazily. The
// construction goes on when the call gives up.
func (e *entry) constructed(ctx context.Context, wait time.Duration) (*source, *Error) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	busy := Fail(ErrBusy, "the tool is still being prepared; try again later", nil)
	select {
	case e.building <- struct{}{}:
	case <-timer.C:
		return nil, busy
	case <-ctx.Done():
		return nil, interrupted(false).Because(ctx.Err())
	}
	done := make(chan error, 1)
	go func() {
		defer func() { <-e.building }()
		done <- e.build()
	}()
	select {
	case err := <-done:
		if err != nil {
			return nil, Fail(ErrExecutionFailed, "the tool could not be prepared", nil).Because(err)
		}
		return e.values.Load(), nil
	case <-timer.C:
		return nil, busy
	case <-ctx.Done():
		return nil, interrupted(false).Because(ctx.Err())
	}
}

func (e *entry) build() error {
	if e.values.Load() != nil {
		return nil
	}
	tool, err := protect(e.construct)
	if err != nil {
		return err
	}
	if isNil(tool) {
		return errors.New("the constructor made no tool")
	}
	if err := e.alike(tool); err != nil {
		return err
	}
	s := newSource(tool, nil)
	e.warn(s)
	e.values.Store(s)
	return nil
}
