package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"parley/pkg/tools"
)

// maxCaption is the longest caption in UTF-16 units: with its markup it still
// fits where a platform has room for 1,024.
const maxCaption = 900

// sniffed is how many bytes tell the kind of content.
const sniffed = 512

// Terms are the limits of a chat.
type Terms struct {
	// Files: it takes files. Else the person is told of one by its name.
	Files bool
	// MaxFile and MaxPhoto are the largest file and the largest picture, in bytes;
	// 0 is no limit.
	MaxFile, MaxPhoto int64
}

// Parcel is a file on its way to a chat.
type Parcel struct {
	// Name is a plain name, Path the absolute path.
	Name, Path string
	Caption    string
	Photo      bool
	// Size is how many bytes Content has, at most: a file that grows meanwhile ends there.
	Size    int64
	Content io.Reader
}

// Sender takes files for the chat of a call, which is in ctx (see
// [tools.InvocationFrom]). It may be called from many goroutines.
type Sender interface {
	// Terms are those of the chat.
	Terms(ctx context.Context) Terms
	// SendFile reads the content to its end and queues the file, to be sent in order with
	// the chat's other messages. A nil error means that it is as safe as the call's own
	// result. A [*tools.Error] is for the model.
	SendFile(ctx context.Context, p Parcel) error
}

// The kinds of sending.
const (
	asAuto     = "auto"
	asPhoto    = "photo"
	asDocument = "document"
)

type sendInput struct {
	Path    string `json:"path"`
	Caption string `json:"caption,omitempty" jsonschema:"up to 900 characters"`
	As      string `json:"as,omitempty" jsonschema:"auto, photo or document"`
}

// NewSend makes send_file. A call has an effect, which must not happen twice, and
// needs the right to read: a sent file was read.
func NewSend(o Options, to Sender) tools.Tool {
	an := tools.Annotations{Level: tools.LevelRead, Ordered: true, Speaks: true}
	return tools.New("send_file", "Send a workspace file here.", an, courier{newAccess(o), to}.sendFile)
}

// courier is shared by all sendings.
type courier struct {
	*access

	to Sender
}

func (c courier) sendFile(ctx context.Context, in sendInput) (any, error) {
	if n := len(utf16.Encode([]rune(in.Caption))); n > maxCaption {
		return nil, fail(tools.ErrInvalidArguments, "",
			fmt.Sprintf("the caption has %d characters, and %d at most fit; put the rest into your answer", n, maxCaption))
	}
	if !slices.Contains([]string{"", asAuto, asPhoto, asDocument}, in.As) {
		return nil, fail(tools.ErrInvalidArguments, "", `as is "auto", "photo" or "document"`)
	}
	s, p, err := c.enter(ctx, in.Path)
	if err != nil {
		return nil, err
	}
	defer s.close()
	f, info, err := s.openFile(p)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	terms := c.to.Terms(ctx)
	photo, err := fits(s.shown(p), f, info.Size(), in.As, terms)
	if err != nil {
		return nil, err
	}
	err = c.to.SendFile(ctx, Parcel{
		Name: plainName(p), Path: filepath.Join(s.dir, filepath.FromSlash(p)), Caption: in.Caption,
		Photo: photo, Size: info.Size(), Content: io.NewSectionReader(f, 0, info.Size()),
	})
	if err != nil {
		if _, ok := errors.AsType[*tools.Error](err); ok || ctx.Err() != nil {
			return nil, err
		}
		return nil, tools.Fail(tools.ErrExecutionFailed, s.shown(p)+": the file could not be sent", nil).Because(err)
	}
	if !terms.Files {
		return tools.SilentResult(
			"This chat cannot show files: the person is told the file's name instead. Give them what they need of it in your answer.",
		), nil
	}
	return tools.SilentResult("The file is on its way."), nil
}

// fits refuses a file that the chat does not take, and says whether the file goes as a
// picture.
func fits(p string, f *os.File, size int64, as string, terms Terms) (photo bool, err error) {
	tooLarge := func(most int64, cure string) error {
		return fail(tools.ErrInvalidArguments, p, fmt.Sprintf("this file has %d bytes, and at most %d can be sent here%s", size, most, cure))
	}
	switch {
	case size == 0:
		return false, fail(tools.ErrInvalidArguments, p, "this file is empty; there is nothing to send")
	case terms.MaxFile > 0 && size > terms.MaxFile:
		return false, tooLarge(terms.MaxFile, "; send a smaller file, or tell what matters of it")
	case as == asDocument:
		return false, nil
	}
	fit := terms.MaxPhoto == 0 || size <= terms.MaxPhoto
	if as == asPhoto {
		if !fit {
			return false, tooLarge(terms.MaxPhoto, ` as a photo; send it with as "document"`)
		}
		return true, nil
	}
	head := make([]byte, sniffed)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, fail(tools.ErrExecutionFailed, p, "the file cannot be read")
	}
	kind := http.DetectContentType(head[:n])
	return fit && slices.Contains([]string{"image/jpeg", "image/png", "image/webp"}, kind), nil
}

// plainName is the last element of a path on one line.
func plainName(p string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp) {
			return '_'
		}
		return c
	}, strings.ToValidUTF8(path.Base(p), "\uFFFD"))
}
