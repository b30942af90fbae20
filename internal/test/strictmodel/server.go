package strictmodel

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"parley/internal/test/fakehttp"
	"parley/internal/test/fakemodel"
	"parley/pkg/providers"
)

// Wire is a protocol of model servers.
type Wire string

// The wires.
const (
	OpenAI    Wire = "openai"
	Anthropic Wire = "anthropic"
	Gemini    Wire = "gemini"
	Llama     Wire = "llama"
)

const (
	maxBody       = 32 << 20
	maxViolations = 100
)

// Script gives the answer to a request. A call with arguments that are no JSON object comes
// as each wire has it: as it is written, and on Gemini's as a finish reason. NoDone and
// NoFinish of the answer's fault count on OpenAI's and llama.cpp's wires alone.
type Script func(fakemodel.Request) fakemodel.Answer

// Server is one model server.
type Server struct {
	wire   Wire
	script Script
	openai *fakemodel.Server // of the two wires that are OpenAI's

	mu         sync.Mutex
	count      int
	violations []string
}

// New makes a server that listens nowhere; serve its Handler.
func New(w Wire, script Script) *Server {
	s := &Server{wire: w, script: script}
	o := fakemodel.Options{Script: s.mint, Keep: -1}
	if w == Llama {
		o.Fields = []string{"reasoning_content"}
	}
	s.openai = fakemodel.NewHandler(o)
	return s
}

// Handler serves the wire's paths for answers, whole and streamed. The base URL is the
// server's for Anthropic, with /v1beta for Gemini and with /v1 for the others.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	switch s.wire {
	case Anthropic:
		mux.HandleFunc("POST /v1/messages", s.messages)
	case Gemini:
		mux.HandleFunc("POST /v1beta/models/{call}", s.generate)
	default:
		return s.openai.Handler()
	}
	return mux
}

// Violations tell the faults of the first hundred illegal requests.
func (s *Server) Violations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append(slices.Clone(s.violations), s.openai.Violations()...)
}

// mint asks the script, and gives ids to the calls that have none.
func (s *Server) mint(r fakemodel.Request) fakemodel.Answer {
	a := s.script(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	a.ToolCalls = slices.Clone(a.ToolCalls)
	for i := range a.ToolCalls {
		c := &a.ToolCalls[i]
		s.count++
		switch {
		case c.ID != "":
		case s.wire == OpenAI:
			c.ID = fmt.Sprintf("call_%024d", s.count)
		case s.wire == Anthropic:
			c.ID = fmt.Sprintf("toolu_01%022d", s.count)
		case s.wire == Llama: // as some model families count: from 0 in each answer
			c.ID = "functions." + c.Name + ":" + strconv.Itoa(i)
		}
	}
	return a
}

// read gives the body of a request, strictly decoded into v. A client that died while it sent
// the body broke no rule.
func (s *Server) read(w http.ResponseWriter, r *http.Request, v any) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); err != nil && !tooLarge {
		panic(http.ErrAbortHandler) // the server's way to leave a request unanswered
	}
	if err != nil {
		return nil, fmt.Errorf("read the body: %w", err)
	}
	return body, strict(body, v)
}

func (s *Server) violated(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.violations) < maxViolations {
		s.violations = append(s.violations, string(s.wire)+": "+err.Error())
	}
}

// strict decodes one JSON value without unknown fields.
func strict(b []byte, v any) error {
	d := json.NewDecoder(strings.NewReader(string(b)))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if d.More() {
		return fmt.Errorf("text after the JSON value")
	}
	return nil
}

// seal is the signature that a server gives to thoughts or to a call.
func (s *Server) seal(of string) string {
	sum := sha256.Sum256([]byte(string(s.wire) + "\x00" + of))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// sealOfCall is independent of how the arguments are written.
func (s *Server) sealOfCall(name string, args map[string]any) (string, error) {
	b, err := json.Marshal(args) // keys in order
	return s.seal(name + "\x00" + string(b)), err
}

// argumentsOf are a call's arguments, by whichever field the script gave them.
func argumentsOf(c *providers.ToolCall) (map[string]any, error) {
	if c.Arguments != nil {
		return c.Arguments, nil
	}
	return providers.DecodeArguments(c.RawArguments)
}

// frames are the events of a stream.
type frames [][]byte

// event adds one; a name of "" is left out.
func (f *frames) event(name string, v any) {
	if name != "" {
		name = "event: " + name + "\n"
	}
	*f = append(*f, fmt.Appendf(nil, "%sdata: %s\n\n", name, encode(v)))
}

// broken ends a stream after half of its frames with an error.
func (f *frames) broken(name string, v any) {
	*f = (*f)[:(len(*f)+1)/2]
	f.event(name, v)
}

func writeError(w http.ResponseWriter, status int, v any) { fakehttp.WriteJSON(w, status, v, 0) }

// halves cuts s in two at a rune's start, so that answers really come in pieces.
func halves(s string) []string {
	at := len(s) / 2
	for at > 0 && s[at]&0xC0 == 0x80 {
		at--
	}
	return slices.DeleteFunc([]string{s[:at], s[at:]}, func(half string) bool { return half == "" })
}
