package web

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"

	"parley/pkg/tools"
)

// body is a server's answer, unpacked.
type body struct {
	// media is the type without its parameters, in lower case.
	media string
	// header is the whole Content-Type, which may name the charset.
	header string
	data   []byte
	// cut says that there was more.
	cut bool
}

// readBody reads and unpacks at most limit bytes.
func readBody(resp *http.Response, limit int) (*body, error) {
	wire := &io.LimitedReader{R: resp.Body, N: int64(limit) + 1}
	r := io.Reader(wire)
	switch enc := strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding"))); enc {
	case "", "identity":
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(wire)
		if err != nil {
			return nil, err
		}
		r = z
	default:
		return nil, tools.Fail(tools.ErrExecutionFailed, "the server packed its answer in a way that was not asked for",
			map[string]any{"content_encoding": line(enc, 40)})
	}
	data, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	b := &body{header: resp.Header.Get("Content-Type"), data: data}
	if len(data) > limit || wire.N <= 0 {
		b.data, b.cut = data[:min(len(data), limit)], true
	} else if err != nil {
		return nil, err
	}
	b.media = mediaType(b.header, b.data)
	return b, nil
}

// mediaType is the type in the header or, without one, that of the bytes.
func mediaType(header string, data []byte) string {
	media, _, err := mime.ParseMediaType(header)
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) || media == "" || media == "application/octet-stream" {
		media, _, _ = mime.ParseMediaType(http.DetectContentType(data))
	}
	return media
}

// kind is how a body becomes text.
type kind int

const (
	asPage kind = iota
	asText
	binary
)

func (b *body) kind() kind {
	switch m := b.media; {
	case bytes.HasPrefix(bytes.TrimLeft(b.data, " \t\r\n"), []byte("%PDF-")):
		return binary
	case m == "text/html" || m == "application/xhtml+xml":
		return asPage
	case strings.HasPrefix(m, "text/"), strings.HasSuffix(m, "+json"), strings.HasSuffix(m, "+xml"),
		m == "application/json", m == "application/xml", m == "application/javascript", m == "application/yaml",
		m == "application/x-yaml", m == "application/toml", m == "application/x-ndjson", m == "application/sql":
		return asText
	default:
		return binary
	}
}

// text is the body in UTF-8, from whatever charset its header, its first bytes
// or its meta element names.
func (b *body) text() ([]byte, error) {
	e, name, certain := charset.DetermineEncoding(b.data, b.header)
	out := b.data
	guessed := !certain && name == "windows-1252" && mostlyUTF8(out)
	if name != "utf-8" && !guessed && e != encoding.Nop && e != nil {
		decoded, err := e.NewDecoder().Bytes(b.data)
		if err != nil {
			return nil, tools.Fail(tools.ErrExecutionFailed, "the page's charset cannot be read", map[string]any{"charset": line(name, 40)})
		}
		out = decoded
	}
	out = bytes.TrimPrefix(out, []byte("\xef\xbb\xbf"))
	if bytes.IndexByte(out, 0) >= 0 && b.kind() == asText {
		return nil, b.unreadable()
	}
	return out, nil
}

// mostlyUTF8 says whether data is UTF-8 but for a character that is cut at its end.
func mostlyUTF8(data []byte) bool {
	for i := range utf8.UTFMax {
		if len(data) >= i && utf8.Valid(data[:len(data)-i]) {
			return true
		}
	}
	return false
}

// unreadable refuses content that is no text, and names its type.
func (b *body) unreadable() error {
	what := "this is a file of the type " + line(b.media, 80) + ", not text"
	if bytes.HasPrefix(bytes.TrimLeft(b.data, " \t\r\n"), []byte("%PDF-")) || b.media == "application/pdf" {
		what = "this is a PDF, which cannot be read here; look for the same as a web page"
	}
	return tools.Fail(tools.ErrExecutionFailed, what, map[string]any{"content_type": line(b.media, 80)})
}
