package files

import (
	"context"
	"time"
)

type infoInput struct {
	Path string `json:"path" jsonschema:"file or folder, relative to the workspace"`
}

// details is what file_info returns. A symbolic link is described itself, not
// what it points to. Modified is in RFC 3339, UTC.
type details struct {
	Path     string `json:"path"`
	Type     string `json:"type"`
	Size     int64  `json:"size"`
	Modified string `json:"modified"`
	Mode     string `json:"mode"`
}

func fileInfo(ctx context.Context, in infoInput) (any, error) {
	p, err := cleanPath(in.Path)
	if err != nil {
		return nil, err
	}
	s, err := openSpace(ctx)
	if err != nil {
		return nil, err
	}
	defer s.close()
	info, err := s.root.Lstat(p)
	if err != nil {
		return nil, openError(p, err)
	}
	if info.Mode().IsRegular() && links(info) > 1 {
		return nil, allowed(p, info)
	}
	return details{
		Path: p, Type: typeOf(info.Mode()), Size: newEntry(p, info).Size,
		Modified: info.ModTime().UTC().Format(time.RFC3339), Mode: info.Mode().Perm().String(),
	}, nil
}
