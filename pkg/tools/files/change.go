package files

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/pkg/tools"
)

const (
	encodingText   = "utf-8"
	encodingBase64 = "base64"
)

// change is the effect of a call on its target.
type change struct {
	// content is the future content of the file; a removal has none.
	content []byte
	removes bool
	// written is how many bytes of it the call brought.
	written int
	// destructive: something that is there now will be gone.
	destructive bool
	// action is what the call does to the target, in a word or two; text is the whole
	// content. Both are for the asked person.
	action, text string
}

// written is the result of the writing tools.
type written struct {
	Success      bool   `json:"success"`
	Path         string `json:"path"`
	BytesWritten int    `json:"bytes_written"`
	Size         int64  `json:"size"`
}

// deleted is the result of delete_file.
type deleted struct {
	Success bool   `json:"success"`
	Path    string `json:"path"`
	Type    string `json:"type"`
}

// pathed is the input of a tool that changes one path.
type pathed interface{ target() string }

// writer is shared by the tools that change files: the same way to the target and the
// same plan, whether a call is only examined or carried out.
type writer[In pathed] struct {
	*access

	plan func(*target, In) (change, error)
}

func newWriter[In pathed](name, description string, an tools.Annotations, a *access, plan func(*target, In) (change, error)) tools.Tool {
	w := writer[In]{a, plan}
	return tools.NewExamined(name, description, an, w.examine, w.execute)
}

func (w writer[In]) examine(ctx context.Context, in In) (tools.Examination, error) {
	s, p, err := w.enter(ctx, in.target())
	if err != nil {
		return tools.Examination{}, err
	}
	defer s.close()
	t, c, err := w.prepare(ctx, s, p, in, false)
	if err != nil {
		return tools.Examination{}, err
	}
	defer t.close()
	return tools.Examination{
		Destructive: c.destructive, Action: c.action, Object: t.shown(), Text: c.text, State: t.state,
		Keeps: s.name == "" && slices.Contains(w.options.Told, t.rel),
	}, nil
}

// prepare finds the target and plans its change, and refuses forbidden changes.
func (w writer[In]) prepare(ctx context.Context, s *space, p string, in In, sweep bool) (*target, change, error) {
	t, err := s.target(p)
	if err != nil {
		return nil, change{}, err
	}
	c, err := w.plan(t, in)
	if err == nil && !c.removes {
		err = t.room(ctx, c, sweep)
	}
	if err != nil {
		t.close()
		return nil, change{}, err
	}
	return t, c, nil
}

func (w writer[In]) execute(ctx context.Context, in In) (any, error) {
	s, p, err := w.enter(ctx, in.target())
	if err != nil {
		return nil, err
	}
	defer s.close()
	leave, err := w.gates.enter(ctx, s.dir)
	if err != nil {
		return nil, err
	}
	defer leave()
	t, c, err := w.prepare(ctx, s, p, in, true)
	if err != nil {
		return nil, err
	}
	defer func() { t.close() }()
	if c.removes {
		if err := t.remove(); err != nil {
			return nil, err
		}
		return deleted{Success: true, Path: s.shown(p), Type: typeOf(t.info.Mode())}, nil
	}
	if t.parent == nil {
		if err := s.makeFolders(t.rel, len(t.missing)); err != nil {
			return nil, err
		}
		// Looked at again: the folders may be others than those that were made.
		if t, err = s.target(t.rel); err != nil {
			t = &target{}
			return nil, err
		}
		if t.parent == nil || t.info != nil {
			return nil, s.fail(tools.ErrBusy, p, "this folder is being changed by something else; try again")
		}
	}
	if err := t.replace(c.content); err != nil {
		return nil, err
	}
	return written{Success: true, Path: s.shown(p), BytesWritten: c.written, Size: int64(len(c.content))}, nil
}

// decode gives the bytes that a call brings.
func (t *target) decode(content, encoding string) ([]byte, error) {
	switch encoding {
	case "", encodingText:
		return []byte(content), nil
	case encodingBase64:
		data, err := base64.StdEncoding.DecodeString(content)
		if err != nil {
			return nil, t.fail(tools.ErrInvalidArguments, "content is not valid base64")
		}
		return data, nil
	default:
		return nil, t.fail(tools.ErrInvalidArguments, `encoding is "utf-8" or "base64"`)
	}
}

// fits refuses a content that is too large, and a target that is a folder.
func (t *target) fits(size int64) error {
	if t.info != nil && t.info.IsDir() {
		return t.fail(tools.ErrInvalidArguments, "this is a folder, not a file")
	}
	if size > t.space.limits.MaxFile {
		return t.fail(tools.ErrInvalidArguments,
			fmt.Sprintf("the file would have %d bytes, and at most %d are written", size, t.space.limits.MaxFile))
	}
	return nil
}

// heading begins the text of a question. Only the content follows, each line behind a
// mark, so that content cannot look like a heading.
func (t *target) heading(what string, size int) string {
	path := strconv.Quote(t.shown())
	if t.info == nil {
		return fmt.Sprintf("%s %s (new, %d bytes)\n", what, path, size)
	}
	return fmt.Sprintf("%s %s (%d bytes now, %d then)\n", what, path, t.size(), size)
}

// marked writes each line of a text behind a mark. A text that ends in a line break
// has an empty last line, so two different texts always look different.
func marked(mark, text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		b.WriteString("\n" + mark)
		if line != "" {
			b.WriteString(" " + line)
		}
	}
	return b.String()[1:]
}
