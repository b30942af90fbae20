package shelf

import (
	"io"
	"os"

	"parley/pkg/channels"
	"parley/pkg/durable"
)

// ofItem ends the name of the file that holds the id of a message's item.
const ofItem = ".of"

// Attach says that the message which becomes an item takes uploads, before the item is stored:
// they stay from then on. [ErrNotFound], with none attached, if one of them is no upload of
// the chat.
func (s *Shelf) Attach(chat string, ids []string, item string) ([]channels.Attachment, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]channels.Attachment, 0, len(ids))
	for _, id := range ids {
		f, ok := s.Find(chat, id)
		if !ok || id[:1] != loosely {
			return nil, ErrNotFound
		}
		all = append(all, attachment(chat, &f))
	}
	for i := range all {
		if err := durable.Replace(s.path(all[i].Ref)+ofItem, func(w io.Writer) error {
			_, err := io.WriteString(w, item)
			return err
		}); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Remove removes an upload that no message has taken: else [ErrAttached], or [ErrNotFound].
func (s *Shelf) Remove(chat, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.Find(chat, id); !ok {
		return ErrNotFound
	}
	at := s.path(refOf(chat, id))
	if _, err := os.Lstat(at + ofItem); err == nil || id[:1] != loosely {
		return ErrAttached
	}
	return ignoreMissing(os.Remove(at))
}
