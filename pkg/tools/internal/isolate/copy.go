package isolate

import (
	"errors"
	"reflect"
	"sync"
	"sync/atomic"
)

// source makes the values of calls in one of four ways; which one is decided once.
type source[T any] struct {
	make func() (T, error)
	// slot is set where the registered value itself is leased; why says which part
	// keeps it from being copied.
	slot   *slot
	leased T
	why    string
	// original is set where calls run on copies of the value as it was in registered.
	original, registered reflect.Value
	told                 atomic.Bool
}

func newSource[T any](value T, factory func() T, traits Traits[T]) *source[T] {
	if traits.Clone != nil && clones(value, traits.Clone) {
		return &source[T]{make: func() (T, error) {
			return Protect(func() (T, error) { return traits.Clone(), nil })
		}}
	}
	if factory != nil {
		return &source[T]{make: func() (T, error) { return FromFactory(factory) }}
	}
	if !traits.Stateful {
		return &source[T]{make: func() (T, error) { return value, nil }}
	}
	why := obstacle(reflect.ValueOf(value), traits.Nested)
	if why == "" {
		return copying(value)
	}
	s := &slot{free: make(chan struct{}, 1)}
	s.free <- struct{}{}
	return &source[T]{slot: s, leased: value, why: why}
}

// clones says whether clone gives another value of the same type. It does not where a
// wrapper only inherits the method of the tool that it wraps.
func clones[T any](value T, clone func() T) bool {
	c, err := Protect(func() (T, error) { return clone(), nil })
	if err != nil || IsNil(c) || reflect.TypeOf(c) != reflect.TypeOf(value) {
		return false
	}
	v := reflect.ValueOf(value)
	return v.Kind() != reflect.Pointer || v.Pointer() != reflect.ValueOf(c).Pointer()
}

// copying makes shallow copies of the value as it is now.
func copying[T any](value T) *source[T] {
	v := reflect.ValueOf(value)
	if v.Kind() != reflect.Pointer {
		return &source[T]{make: func() (T, error) { return value, nil }}
	}
	t := v.Type().Elem()
	registered := reflect.New(t).Elem()
	registered.Set(v.Elem())
	return &source[T]{original: v.Elem(), registered: registered, make: func() (T, error) {
		c := reflect.New(t)
		c.Elem().Set(registered)
		own, ok := reflect.TypeAssert[T](c)
		if !ok {
			return own, errors.New("the copy is not a tool")
		}
		return own, nil
	}}
}

// changed says once that the original is no longer as it was registered.
func (s *source[T]) changed() bool {
	return s.original.IsValid() && !s.told.Load() && !sameFields(s.original, s.registered) && s.told.CompareAndSwap(false, true)
}

// sameFields compares the fields that a shallow copy copies. Functions of the same code
// count as the same, and so do values that cannot be compared.
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

// obstacle names the part that keeps a tool from being copied for a call; it is empty
// for a tool that can be copied.
func obstacle(v reflect.Value, nested func(reflect.Type) bool) string {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return "it is not a struct"
	}
	return obstacleIn(v, nested)
}

func obstacleIn(v reflect.Value, nested func(reflect.Type) bool) string {
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		if why := fieldObstacle(f, v.Field(i), nested); why != "" {
			return "field " + f.Name + " " + why
		}
	}
	return ""
}

//nolint:exhaustive // every other kind is a plain value
func fieldObstacle(f reflect.StructField, v reflect.Value, nested func(reflect.Type) bool) string {
	t := v.Type()
	if isLock(t) {
		return "is a lock or an atomic"
	}
	switch t.Kind() {
	case reflect.Map, reflect.Slice, reflect.Chan, reflect.UnsafePointer:
		return "is a " + t.Kind().String()
	case reflect.Struct:
		// A struct within the struct is copied with it, stateful or not.
		return obstacleIn(v, nested)
	case reflect.Array:
		if t.Len() > 0 {
			return fieldObstacle(reflect.StructField{}, v.Index(0), nested)
		}
	case reflect.Pointer, reflect.Interface:
		if f.Anonymous {
			return "is an embedded " + t.Kind().String()
		}
		if nested(t) || t.Kind() == reflect.Interface && !v.IsNil() && nested(v.Elem().Type()) {
			return "is a tool that takes a chat or a callback"
		}
	}
	return ""
}

// isLock also finds types with Lock and Unlock methods that forbid copies.
func isLock(t reflect.Type) bool {
	pkg := t.PkgPath()
	return pkg == "sync" || pkg == "sync/atomic" ||
		t.Kind() == reflect.Struct && reflect.PointerTo(t).Implements(reflect.TypeFor[sync.Locker]())
}
