package senses

import (
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"parley/pkg/pictures"
)

// NamesPicture says whether a file name is that of a picture.
func NamesPicture(name string) bool {
	return slices.Contains([]string{".jpg", ".jpeg", ".png", ".gif", ".webp"}, strings.ToLower(path.Ext(name)))
}

// Look looks at a picture of size bytes and gives its type. One that no model is shown gives a [RefusedError].
func Look(f io.ReaderAt, size int64) (mime string, err error) {
	mime, err = pictures.Look(f, size)
	if e, ok := errors.AsType[*pictures.Error](err); ok {
		err = &RefusedError{Why: e.Why, Unreadable: e.Unreadable}
	}
	return mime, err
}
