package files

import (
	"bytes"
	"fmt"
	"slices"

	"parley/pkg/tools"
)

type writeInput struct {
	Path     string `json:"path"`
	Content  string `json:"content"`
	Encoding string `json:"encoding,omitempty" jsonschema:"utf-8 or base64"`
}

func (in writeInput) target() string { return in.Path }

type appendInput struct {
	Path     string `json:"path"`
	Content  string `json:"content"`
	Encoding string `json:"encoding,omitempty" jsonschema:"utf-8 or base64"`
}

func (in appendInput) target() string { return in.Path }

// planWrite writes a file as a whole. It destroys the present content, unless that is the
// same.
func planWrite(t *target, in writeInput) (change, error) {
	data, err := t.decode(in.Content, in.Encoding)
	if err == nil {
		err = t.fits(int64(len(data)))
	}
	if err != nil {
		return change{}, err
	}
	what, action, shown := "Write", "create", marked(markGained, in.Content)
	if t.info != nil {
		what, action = "Overwrite", "overwrite"
		if in.Encoding != encodingBase64 {
			shown = replaced(t.content, in.Content)
		}
	}
	return change{
		content: data, written: len(data),
		destructive: t.info != nil && (t.size() > t.space.limits.MaxFile || !bytes.Equal(t.content, data)),
		action:      action,
		text:        t.heading(what+named(in.Encoding), len(data)) + shown,
	}, nil
}

// planAppend adds to a file, or makes one. It destroys no content, also in a file
// that is there: every byte of it stays in its place.
func planAppend(t *target, in appendInput) (change, error) {
	data, err := t.decode(in.Content, in.Encoding)
	if err == nil {
		err = t.fits(t.size() + int64(len(data)))
	}
	if err != nil {
		return change{}, err
	}
	if len(data) == 0 {
		return change{}, t.fail(tools.ErrInvalidArguments, "content is empty; there is nothing to add")
	}
	all := slices.Concat(t.content, data)
	return change{
		content: all, written: len(data),
		action: "append to", text: t.heading("Append to"+named(in.Encoding), len(all)) + marked("+", in.Content),
	}, nil
}

// named says how a content is shown where it is not shown as it is.
func named(encoding string) string {
	if encoding == encodingBase64 {
		return " (content shown as base64)"
	}
	return ""
}

type editInput struct {
	Path    string `json:"path"`
	OldText string `json:"old_text"`
	NewText string `json:"new_text"`
}

func (in editInput) target() string { return in.Path }

// planEdit replaces the one place at which the file holds a passage.
func planEdit(t *target, in editInput) (change, error) {
	if t.info == nil {
		return change{}, t.fail(tools.ErrNotFound, "there is no such file; write_file makes one")
	}
	if err := t.fits(t.size()); err != nil {
		return change{}, err
	}
	old := []byte(in.OldText)
	at := bytes.Index(t.content, old)
	switch {
	case len(old) == 0:
		return change{}, t.fail(tools.ErrInvalidArguments, "old_text is empty")
	case in.OldText == in.NewText:
		return change{}, t.fail(tools.ErrInvalidArguments, "old_text and new_text are the same")
	case at < 0:
		return change{}, t.fail(tools.ErrInvalidArguments, "old_text is not in the file; read_file shows what is")
	case bytes.Contains(t.content[at+1:], old):
		return change{}, t.fail(tools.ErrInvalidArguments, "old_text is in the file more than once; include lines around the place that you mean")
	}
	all := slices.Concat(t.content[:at], []byte(in.NewText), t.content[at+len(old):])
	if err := t.fits(int64(len(all))); err != nil {
		return change{}, err
	}
	line := 1 + bytes.Count(t.content[:at], []byte("\n"))
	return change{
		content: all, written: len(all), destructive: true,
		action: "change",
		text:   t.heading("Change", len(all)) + fmt.Sprintf("@ line %d\n", line) + marked("-", in.OldText) + "\n" + marked("+", in.NewText),
	}, nil
}

type deleteInput struct {
	Path string `json:"path"`
}

func (in deleteInput) target() string { return in.Path }

// planDelete removes a file or an empty folder.
func planDelete(t *target, _ deleteInput) (change, error) {
	if t.info == nil {
		return change{}, t.fail(tools.ErrNotFound, "there is no such file or folder; list_dir shows what there is")
	}
	c := change{removes: true, destructive: true, action: "delete"}
	if !t.info.IsDir() {
		c.text = fmt.Sprintf("Delete %q (%d bytes)", t.shown(), t.size())
		return c, nil
	}
	entries, err := t.entries()
	if err != nil {
		return change{}, err
	}
	if len(entries) > 0 {
		return change{}, t.fail(tools.ErrInvalidArguments, "this folder is not empty; delete the files in it first")
	}
	c.action = "delete the empty folder"
	c.text = fmt.Sprintf("Delete the empty folder %q", t.shown())
	return c, nil
}
