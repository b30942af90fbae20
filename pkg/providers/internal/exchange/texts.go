package exchange

import "sync"

// Texts keeps the encoded form of texts that many requests have in common, as the
// instructions of the chats of one kind. Its zero value is ready, and safe for use by many
// goroutines at once.
type Texts struct {
	mu     sync.Mutex
	recent []encoded // the oldest first
}

type encoded struct {
	text string
	json []byte
}

const (
	// How many texts are kept, and how long one may be, in bytes.
	maxTexts    = 16
	longestText = 64 << 10
)

// Of gives a text as a JSON string; the bytes are shared.
func (t *Texts) Of(text string) []byte {
	if len(text) > longestText {
		return AppendString(nil, text)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.recent {
		if t.recent[i].text == text {
			return t.recent[i].json
		}
	}
	json := AppendString(make([]byte, 0, len(text)*17/16), text)
	if len(t.recent) == maxTexts {
		t.recent = append(t.recent[:0], t.recent[1:]...)
	}
	t.recent = append(t.recent, encoded{text, json})
	return json
}
