package fakemodel

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"path"
	"slices"
	"strings"

	"parley/internal/test/fakehttp"
)

// Recording is one legal request for a transcript.
type Recording struct {
	// N counts these requests from 1.
	N                     int
	Model, Language, Name string
	Data                  []byte
}

// Sound is a recording of so many seconds in Ogg, of which [Hear] hears the words.
func Sound(words string, seconds int) []byte {
	const rate, pad = 48_000, 14
	page := binary.LittleEndian.AppendUint64([]byte("OggS\x00\x04"), uint64(seconds)*rate) //nolint:gosec // it is small
	return append(append(page, make([]byte, pad)...), "OpusHead say:"+words...)
}

// Hear hears the words of a [Sound]; it is the default of Options.Hear. The word deny has the key
// refused, and endless makes an answer without an end.
func Hear(r Recording) Answer {
	_, words, _ := bytes.Cut(r.Data, []byte("say:"))
	switch string(words) {
	case "deny":
		return Fail(http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided")
	case "endless":
		return Answer{Fault: Fault{Cut: -1}}
	default:
		return Say(string(words))
	}
}

// maxRecording is OpenAI's bound.
const maxRecording = 25 << 20

// Transcriptions are the legal requests for transcripts, oldest first.
func (s *Server) Transcriptions() []Recording {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.recordings)
}

// transcribe answers POST /v1/audio/transcriptions. It knows the fields that OpenAI and other
// servers have in common.
func (s *Server) transcribe(w http.ResponseWriter, r *http.Request) {
	if !s.authorized(r) {
		writeError(w, http.StatusUnauthorized, Fault{Code: "invalid_api_key", Message: "Incorrect API key provided"})
		return
	}
	rec, err := readForm(r)
	if err != nil {
		s.violated(err.Error())
		writeError(w, http.StatusBadRequest, Fault{Code: "invalid_request_error", Message: err.Error()})
		return
	}
	s.mu.Lock()
	rec.N = len(s.recordings) + 1
	s.recordings = append(s.recordings, *rec)
	s.mu.Unlock()
	a := s.opts.Hear(*rec)
	switch f := a.Fault; {
	case f.Status != 0:
		writeError(w, f.Status, f)
	case f.Cut < 0: // without an end
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"text":"`)
		words := []byte(strings.Repeat("word ", 1000))
		for {
			if _, err := w.Write(words); err != nil {
				return
			}
		}
	default:
		answer := map[string]any{"text": a.Content}
		if a.Usage.Seconds > 0 {
			answer["usage"] = map[string]any{"type": "duration", "seconds": a.Usage.Seconds}
		}
		fakehttp.WriteJSON(w, http.StatusOK, answer, 0)
	}
}

// readForm reads the form; the error tells the first rule that it breaks.
func readForm(r *http.Request) (*Recording, error) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		return nil, errors.New("the body is no form")
	}
	if r.ContentLength < 0 {
		return nil, errors.New("the length of the body is not told")
	}
	form := multipart.NewReader(r.Body, params["boundary"])
	fields, rec := map[string]string{}, &Recording{}
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("the form: %w", err)
		}
		data, err := io.ReadAll(io.LimitReader(part, maxRecording+1))
		if err != nil {
			return nil, fmt.Errorf("a field: %w", err)
		}
		name := part.FormName()
		if _, twice := fields[name]; twice {
			return nil, fmt.Errorf("the field %s is there twice", name)
		}
		fields[name] = string(data)
		switch {
		case name == "file":
			rec.Name, rec.Data = part.FileName(), data
		case part.FileName() != "":
			return nil, fmt.Errorf("the field %s is a file", name)
		}
	}
	rec.Model, rec.Language = fields["model"], fields["language"]
	return rec, checkForm(fields, rec)
}

func checkForm(fields map[string]string, rec *Recording) error {
	for name := range fields {
		if !slices.Contains([]string{"file", "model", "response_format", "language"}, name) {
			return fmt.Errorf("unknown field %s", name)
		}
	}
	formats := []string{".flac", ".mp3", ".mp4", ".mpeg", ".mpga", ".m4a", ".ogg", ".wav", ".webm"}
	switch {
	case rec.Model == "":
		return errors.New("there is no model")
	case fields["response_format"] != "json":
		return errors.New("response_format is not json")
	case !slices.Contains(formats, path.Ext(rec.Name)):
		return fmt.Errorf("invalid file format: %q", rec.Name)
	case len(rec.Data) == 0:
		return errors.New("the file is empty")
	case len(rec.Data) > maxRecording:
		return errors.New("the file has more than 25 MB")
	}
	return nil
}
