package senses

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"parley/pkg/providers"
	"parley/pkg/tools"
)

// The names of the tools.
const (
	TranscribeName = "transcribe_audio"
	DescribeName   = "describe_image"
	TranslateName  = "translate"
)

const (
	// The bounds of a translation: the text in bytes, and the entries of a glossary, the words of
	// an entry, and of the names of languages.
	maxText     = 24 << 10
	maxGlossary = 100
	maxWord     = 200
	maxQuestion = 2 << 10
	// How long a call may ask a model, retries included.
	askFor = 5 * time.Minute
)

// Models ask the model for a purpose on behalf of the running call. The same call with the same key
// is asked once, also after a crash. An error with a PersonMessage is a sentence already.
type Models interface {
	Ask(ctx context.Context, key string, q Question) (*providers.LLMResponse, error)
}

// Options are the needs of the tools.
type Options struct {
	Models Models
	// Open opens the file of a call and tells its size; the caller closes it.
	Open func(ctx context.Context, path string) (*os.File, int64, error)
}

type transcribeInput struct {
	Path     string `json:"path"`
	Language string `json:"language,omitempty" jsonschema:"of the speech, such as de"`
}

type describeInput struct {
	Path     string `json:"path"`
	Question string `json:"question,omitempty" jsonschema:"what to look for"`
}

type translateInput struct {
	Text     string            `json:"text" jsonschema:"up to 24,000 bytes"`
	To       string            `json:"to" jsonschema:"the language"`
	From     string            `json:"from,omitempty"`
	Glossary map[string]string `json:"glossary,omitempty" jsonschema:"words with their translations"`
}

// answer is the result of a tool.
type answer struct {
	Text string `json:"text"`
	Note string `json:"note,omitempty"`
}

// New makes the tools.
func New(o Options) []tools.Tool {
	s := &senses{o}
	look := tools.Annotations{ReadOnly: true, Idempotent: true, Timeout: askFor}
	say := look
	say.Level = tools.LevelChat
	return []tools.Tool{
		tools.New(TranscribeName, "Write down the speech of a workspace file.", look, s.transcribe),
		tools.New(DescribeName, "Tell what a picture in the workspace shows.", look, s.describe),
		tools.New(TranslateName, "Translate a text by the translation model.", say, s.translate),
	}
}

type senses struct{ o Options }

func (s *senses) transcribe(ctx context.Context, in transcribeInput) (any, error) {
	if !isLanguage(in.Language) {
		return nil, tools.Fail(tools.ErrInvalidArguments, "language is a code of two or three letters, such as de", nil)
	}
	f, size, err := s.o.Open(ctx, in.Path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	sound, err := Listen(f, size, 0)
	if err != nil {
		return nil, failure("this cannot be written down", err)
	}
	rec := &providers.Recording{
		Name: sound.Name, Size: size, Seconds: sound.Seconds, Language: in.Language, Open: reader(f, size),
	}
	return s.ask(ctx, key(in, size), "this cannot be written down", "there are no words in it", Transcription(rec))
}

func (s *senses) describe(ctx context.Context, in describeInput) (any, error) {
	if len(in.Question) > maxQuestion {
		return nil, tools.Fail(tools.ErrInvalidArguments, fmt.Sprintf("the question has more than %d bytes", maxQuestion), nil)
	}
	f, size, err := s.o.Open(ctx, in.Path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	mime, err := Look(f, size)
	if err != nil {
		return nil, failure("this cannot be looked at", err)
	}
	picture := providers.Image{MIME: mime, Path: in.Path, Size: size, Open: reader(f, size)}
	return s.ask(ctx, key(in, size), "this cannot be looked at", "the model said nothing of it",
		Description([]providers.Image{picture}, in.Question))
}

func (s *senses) translate(ctx context.Context, in translateInput) (any, error) {
	switch {
	case in.Text == "" || len(in.Text) > maxText:
		return nil, tools.Fail(tools.ErrInvalidArguments,
			fmt.Sprintf("text has %d bytes: it may have 1 to %d; translate a longer one in parts", len(in.Text), maxText), nil)
	case in.To == "" || len(in.To) > maxWord || len(in.From) > maxWord:
		return nil, tools.Fail(tools.ErrInvalidArguments, "to and from are names of languages, such as German", nil)
	case len(in.Glossary) > maxGlossary:
		return nil, tools.Fail(tools.ErrInvalidArguments, fmt.Sprintf("the glossary may have %d words", maxGlossary), nil)
	}
	for word, as := range in.Glossary {
		if len(word) > maxWord || len(as) > maxWord {
			return nil, tools.Fail(tools.ErrInvalidArguments, fmt.Sprintf("a word of the glossary has more than %d bytes", maxWord), nil)
		}
	}
	resp, err := s.o.Models.Ask(ctx, key(in, 0), translation(&in))
	return result(resp, err, "this cannot be translated", "the model gave no translation")
}

// ask asks about a file: the answer is content from outside.
func (s *senses) ask(ctx context.Context, key, what, empty string, q Question) (any, error) {
	tools.BringsOutside(ctx)
	resp, err := s.o.Models.Ask(ctx, key, q)
	return result(resp, err, what, empty)
}

// result is the result of a tool for the answer of a model.
func result(resp *providers.LLMResponse, err error, what, empty string) (any, error) {
	if err != nil {
		return nil, failure(what, err)
	}
	words, cut := Words(resp)
	a := answer{Text: words}
	switch {
	case words == "":
		a.Note = empty
	case cut:
		a.Note = "the text is longer: its end is left out"
	}
	return a, nil
}

// failure is an error for the model, in one sentence.
func failure(what string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if s, ok := errors.AsType[interface {
		error
		PersonMessage() string
	}](err); ok {
		if _, model := errors.AsType[*providers.Error](err); !model {
			return tools.Fail(tools.ErrExecutionFailed, s.PersonMessage(), nil).Because(err)
		}
	}
	if e, ok := errors.AsType[*tools.Error](err); ok {
		return e
	}
	return tools.Fail(tools.ErrExecutionFailed, what+": "+Why(err), nil).Because(err)
}

// reader opens an open file again, from its beginning.
func reader(f io.ReaderAt, size int64) func() (io.ReadCloser, int64, error) {
	return func() (io.ReadCloser, int64, error) {
		return io.NopCloser(io.NewSectionReader(f, 0, size)), size, nil
	}
}

// key names a question within its call.
func key(in any, size int64) string {
	b, _ := json.Marshal([]any{in, size}) // texts and numbers alone
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// isLanguage says whether a code is one, or empty.
func isLanguage(code string) bool {
	for i := range len(code) {
		if code[i] < 'a' || code[i] > 'z' {
			return false
		}
	}
	return code == "" || len(code) == 2 || len(code) == 3
}
