package shelf

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
)

// MostPictures is how many pictures a request has at most in its body.
const MostPictures = 16

// Picture is one that a request has in its body. Its JSON is for the sum of a request, and has no
// bytes.
type Picture struct {
	Ending string `json:"ending"` // of its file's name
	Sum    string `json:"sum"`

	data []byte
}

// ReadPicture reads the bytes of a picture, which are in base64: false for a kind that models do
// not take, and for bytes that are of another one.
func ReadPicture(kind, encoded string) (p Picture, ok bool) {
	if p.Ending = ending(kind); p.Ending == "" {
		return p, false
	}
	var err error
	p.data, err = base64.StdEncoding.DecodeString(encoded)
	sum := sha256.Sum256(p.data)
	p.Sum = hex.EncodeToString(sum[:])
	return p, err == nil && http.DetectContentType(p.data) == kind
}

// ReadPictureURL reads a picture from a data: URL. The gateway fetches no address that a program
// names.
func ReadPictureURL(url string) (Picture, bool) {
	head, encoded, ok := strings.Cut(url, ";base64,")
	kind, isData := strings.CutPrefix(head, "data:")
	if !ok || !isData {
		return Picture{}, false
	}
	return ReadPicture(kind, encoded)
}

// Uploads are pictures as files, in their order.
func Uploads(all []Picture) []Upload {
	files := make([]Upload, len(all))
	for i := range all {
		p := &all[i]
		files[i] = Upload{Name: fmt.Sprintf("picture-%d.%s", i+1, p.Ending), Size: int64(len(p.data)), Content: bytes.NewReader(p.data)}
	}
	return files
}

// ending is that of the name of a picture's file; "" for a kind that models do not take.
func ending(kind string) string {
	switch kind {
	case "image/png", "image/gif", "image/webp":
		return strings.TrimPrefix(kind, "image/")
	case "image/jpeg":
		return "jpg"
	default:
		return ""
	}
}
