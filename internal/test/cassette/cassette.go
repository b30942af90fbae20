package cassette

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"parley/internal/test/corpora"
)

// Wire is the protocol of a recording.
type Wire string

// The wires.
const (
	OpenAI    Wire = "openai"
	Anthropic Wire = "anthropic"
	Gemini    Wire = "gemini"
)

// Cassette is one recorded conversation.
type Cassette struct {
	// Name is its path in the corpora.
	Name  string
	Wire  Wire
	Steps []Step
}

// Step is one recorded request and its answer.
type Step struct {
	Wire Wire
	// URL is the recorded one.
	URL     *url.URL
	Model   string
	Stream  bool
	Request []byte
	// Status, ContentType and Answer are the server's.
	Status      int
	ContentType string
	Answer      string
}

// Load reads the cassettes of a wire below a folder of the corpora, or the test is
// skipped.
func Load(tb testing.TB, wire Wire, elem ...string) []*Cassette {
	tb.Helper()
	root := corpora.Path(tb, append([]string{"llm-cassettes", "fantasy"}, elem...)...)
	var all []*Cassette
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		c, err := read(path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if c.Wire == wire {
			c.Name = strings.TrimSuffix(strings.TrimPrefix(path, root+"/"), ".yaml")
			all = append(all, c)
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return all
}

// file is a cassette as it is stored.
type file struct {
	Interactions []struct {
		Request  struct{ Body, URL string }
		Response struct {
			Body    string
			Code    int
			Headers map[string][]string
		}
	}
}

func read(path string) (*Cassette, error) {
	raw, err := os.ReadFile(path) //nolint:gosec // the tester names the folder
	if err != nil {
		return nil, err
	}
	var f file
	if err := yaml.Unmarshal(raw, &f); err != nil {
		return nil, err
	}
	c := &Cassette{}
	for i := range f.Interactions {
		in := &f.Interactions[i]
		s := Step{Request: []byte(in.Request.Body), Status: in.Response.Code, Answer: in.Response.Body}
		if s.URL, err = url.Parse(in.Request.URL); err != nil {
			return nil, err
		}
		if kind := in.Response.Headers["Content-Type"]; len(kind) > 0 {
			s.ContentType = kind[0]
		}
		s.Stream = strings.Contains(s.ContentType, "event-stream")
		if s.Wire, s.Model, err = kindOf(&s); err != nil {
			return nil, err
		}
		c.Wire = s.Wire
		c.Steps = append(c.Steps, s)
	}
	return c, nil
}

// kindOf gives the wire and the model of a step.
func kindOf(s *Step) (wire Wire, model string, err error) {
	path := s.URL.Path
	last := path[strings.LastIndexByte(path, '/')+1:]
	name, action, _ := strings.Cut(last, ":")
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		r, err := ReadRequest(OpenAI, s.Request)
		return OpenAI, r.Model, err
	case strings.HasSuffix(path, "/messages"):
		r, err := ReadRequest(Anthropic, s.Request)
		return Anthropic, r.Model, err
	case strings.HasSuffix(action, "awPredict"):
		return Anthropic, name, nil
	case strings.HasSuffix(action, "enerateContent"):
		return Gemini, name, nil
	default:
		return "", "", fmt.Errorf("%s is the address of an unknown wire", s.URL)
	}
}
