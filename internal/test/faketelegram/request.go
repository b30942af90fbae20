package faketelegram

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxBody is the Bot API's own bound on a request with a file, and a little for the rest.
const maxBody = 51 << 20

// Upload is a file that came with a request.
type Upload struct {
	Field, Name string
	Data        []byte
}

// Request is the ledger's record of one request. The token is not in it.
type Request struct {
	// N counts the server's requests from 1.
	N int
	// Bot is the bot's id, Method the method as the table writes it.
	Bot    int64
	Method string
	// Params are the parameters as form values; JSON values stay JSON.
	Params map[string]string
	Files  []Upload
	// Chat is chat_id, or 0.
	Chat int64
	// Time is when it came, Done when it was answered.
	Time, Done time.Time
	// Status is the HTTP status of the answer, 0 before it; Description the words of a
	// refusal.
	Status      int
	Description string
	// Faulty says that a [Rule] harmed it.
	Faulty bool
	// Early says that it came before the retry_after of an earlier refusal in its
	// chat was over. That is a violation, whatever the method.
	Early bool
}

// Int is a parameter as a number, or 0.
func (r *Request) Int(name string) int64 {
	n, err := strconv.ParseInt(r.Params[name], 10, 64)
	if err != nil {
		return 0
	}
	return n
}

var (
	errTooLarge = errors.New("body is too large")
	errGone     = errors.New("the client left in the middle of its body")
)

// readParams takes parameters from wherever the Bot API allows them.
func readParams(r *http.Request) (map[string]string, []Upload, error) {
	params := map[string]string{}
	take(params, r.URL.Query())
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errGone, err)
	}
	if len(body) > maxBody {
		return nil, nil, errTooLarge
	}
	kind, attrs, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || len(body) == 0 {
		return params, nil, nil //nolint:nilerr // no body type means that there are no parameters in the body
	}
	switch kind {
	case "application/x-www-form-urlencoded":
		form, err := url.ParseQuery(string(body))
		if err != nil {
			return nil, nil, fmt.Errorf("form: %w", err)
		}
		take(params, form)
	case "application/json":
		if err := takeJSON(params, body); err != nil {
			return nil, nil, err
		}
	case "multipart/form-data":
		files, err := takeParts(params, multipart.NewReader(bytes.NewReader(body), attrs["boundary"]))
		return params, files, err
	}
	return params, nil, nil
}

func take(params map[string]string, form url.Values) {
	for name, values := range form {
		params[name] = values[0]
	}
}

func takeJSON(params map[string]string, body []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return fmt.Errorf("JSON: %w", err)
	}
	for name, value := range fields {
		var text string
		switch {
		case string(value) == "null":
		case json.Unmarshal(value, &text) == nil:
			params[name] = text
		default:
			params[name] = string(value)
		}
	}
	return nil
}

func takeParts(params map[string]string, parts *multipart.Reader) ([]Upload, error) {
	var files []Upload
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, fmt.Errorf("multipart: %w", err)
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return nil, fmt.Errorf("multipart: %w", err)
		}
		if part.FileName() == "" {
			params[part.FormName()] = string(data)
			continue
		}
		files = append(files, Upload{Field: part.FormName(), Name: part.FileName(), Data: data})
	}
}

// check holds a request against the table and names its faults.
func (m *Method) check(params map[string]string, files []Upload) []string {
	var wrong []string
	known := map[string]bool{}
	for _, p := range m.Params {
		known[p.Name] = true
		value, given := params[p.Name]
		given = given || slices.ContainsFunc(files, func(f Upload) bool { return f.Field == p.Name })
		switch {
		case !given && p.Required:
			wrong = append(wrong, fmt.Sprintf("%s: no %s", m.Name, p.Name))
		case value != "" && !slices.ContainsFunc(p.Types, func(t string) bool { return fits(t, value) }):
			wrong = append(wrong, fmt.Sprintf("%s: %s is not of type %s", m.Name, p.Name, strings.Join(p.Types, " or ")))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if !known[name] {
			wrong = append(wrong, fmt.Sprintf("%s: unknown parameter %s", m.Name, name))
		}
	}
	return wrong
}

// fits says whether value can be of the Bot API's type name.
func fits(name, value string) bool {
	switch name {
	case "String":
		return true
	case "Integer":
		_, err := strconv.ParseInt(value, 10, 64)
		return err == nil
	case "Boolean":
		return value == "true" || value == "false"
	case "InputFile":
		return strings.HasPrefix(value, "attach://")
	}
	if strings.HasPrefix(name, "Array of ") {
		var list []json.RawMessage
		return json.Unmarshal([]byte(value), &list) == nil
	}
	var fields map[string]json.RawMessage
	return json.Unmarshal([]byte(value), &fields) == nil
}
