//go:build !linux

package engine_test

import "errors"

func mountSmall(string, string) error { return errors.ErrUnsupported }

func unmount(string) error { return nil }
