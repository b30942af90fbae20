package isolate

import (
	"context"
	"errors"
	"reflect"
	"sync/atomic"
	"time"
)

// The errors of a call that gets no value in time.
var (
	ErrNested   = errors.New("the tool cannot be called from within its own call")
	ErrLeased   = errors.New("the tool is serving another call; try again later")
	ErrBuilding = errors.New("the tool is still being prepared; try again later")
)

// Traits are the properties of a value that decide how calls get their own.
type Traits[T any] struct {
	// Clone is set for a value that can clone itself.
	Clone func() T
	// Stateful says that the value stores facts of one call in its fields.
	Stateful bool
	// Nested says of a type in one of the value's fields that it is stateful itself.
	Nested func(reflect.Type) bool
}

// Options say how the values of a tool are made.
type Options[T any] struct {
	// Factory makes a fresh value for every call; nil without one.
	Factory func() T
	// Construct makes the value at the first call; nil where the value is there already.
	Construct func() (T, error)
	// Traits reads the traits of a value.
	Traits func(T) Traits[T]
	// Accept refuses a value that differs from the registered one; nil accepts all.
	Accept func(T) error
	// OnLease is told why a value is leased to one call at a time.
	OnLease func(why string)
	// OnChange is told once that the fields of the registered value were changed.
	OnChange func()
}

// Values gives each call its own value. It is safe for concurrent use.
type Values[T any] struct {
	options  Options[T]
	building chan struct{}
	source   atomic.Pointer[source[T]]
}

// New decides how the calls of a value get their own.
func New[T any](value T, o Options[T]) *Values[T] {
	v := &Values[T]{options: o, building: make(chan struct{}, 1)}
	if o.Construct == nil {
		v.use(value, o.Factory)
	}
	return v
}

func (v *Values[T]) use(value T, factory func() T) {
	s := newSource(value, factory, v.options.Traits(value))
	if s.slot != nil {
		v.options.OnLease(s.why)
	}
	v.source.Store(s)
}

// Take gives a call its value. It waits no longer than wait for a value that is leased
// or still being made. The lease is nil where the value is the call's own; outer is the
// lease of the call around this one.
func (v *Values[T]) Take(ctx context.Context, wait time.Duration, outer *Lease) (T, *Lease, error) {
	var none T
	s := v.source.Load()
	if s == nil {
		if err := v.constructed(ctx, wait); err != nil {
			return none, nil, err
		}
		s = v.source.Load()
	}
	if s.slot != nil {
		l, err := s.slot.lease(ctx, wait, outer)
		return s.leased, l, err
	}
	if s.changed() {
		v.options.OnChange()
	}
	value, err := s.make()
	if err == nil && IsNil(value) {
		err = errors.New("there is no value for this call")
	}
	if err == nil {
		err = v.accept(value)
	}
	if err != nil {
		return none, nil, err
	}
	return value, nil, nil
}

func (v *Values[T]) accept(value T) error {
	if v.options.Accept == nil {
		return nil
	}
	return v.options.Accept(value)
}

// constructed waits until the value is made. The construction goes on when the call
// gives up.
func (v *Values[T]) constructed(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case v.building <- struct{}{}:
	case <-timer.C:
		return ErrBuilding
	case <-ctx.Done():
		return ctx.Err()
	}
	done := make(chan error, 1)
	go func() {
		defer func() { <-v.building }()
		done <- v.build()
	}()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		return ErrBuilding
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (v *Values[T]) build() error {
	if v.source.Load() != nil {
		return nil
	}
	value, err := Protect(v.options.Construct)
	if err != nil {
		return err
	}
	if IsNil(value) {
		return errors.New("the constructor made no tool")
	}
	if err := v.accept(value); err != nil {
		return err
	}
	v.use(value, nil)
	return nil
}
