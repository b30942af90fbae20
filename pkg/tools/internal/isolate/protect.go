package isolate

import (
	"errors"
	"reflect"

	"parley/pkg/panics"
)

// Protect turns a panic of a tool's own code into an error.
func Protect[T any](f func() (T, error)) (v T, err error) {
	if p := panics.Catch(func() { v, err = f() }); p != nil {
		return v, p
	}
	return v, err
}

// FromFactory asks a factory for a value.
func FromFactory[T any](f func() T) (T, error) {
	if f == nil {
		var none T
		return none, errors.New("the factory is nil")
	}
	return Protect(func() (T, error) {
		value := f()
		if IsNil(value) {
			return value, errors.New("the factory made no tool")
		}
		return value, nil
	})
}

// IsNil also finds a nil pointer in an interface.
func IsNil(value any) bool {
	if value == nil {
		return true
	}
	v := reflect.ValueOf(value)
	return v.Kind() == reflect.Pointer && v.IsNil()
}
