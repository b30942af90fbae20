package httpd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// Decode reads the whole body as one JSON object. Unknown fields pass.
func Decode(r *http.Request, v any) *Refusal {
	d := json.NewDecoder(r.Body)
	err := d.Decode(v)
	if err == nil {
		if _, end := d.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("text follows the object")
		}
	}
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &Refusal{Status: http.StatusRequestEntityTooLarge, Code: "too_large", Message: tooLarge.Error()}
	}
	if err != nil {
		return &Refusal{Status: http.StatusBadRequest, Code: "bad_request", Message: fmt.Sprintf(textBody, err)}
	}
	return nil
}
