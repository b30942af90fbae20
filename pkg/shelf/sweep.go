package shelf

import (
	"context"
	"errors"
	"os"
	"path"
	"slices"
	"time"
)

// Sweep removes old uploads without a message, and the files of chats that are forgotten. It
// is called now and then, while the shelf is in use too.
func (s *Shelf) Sweep(ctx context.Context) error {
	people, err := readDir(s.o.Dir)
	if err != nil {
		return err
	}
	for _, p := range people {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := s.sweepPerson(ctx, p.Name()); err != nil {
			return err
		}
	}
	return nil
}

// Forget removes all files of a chat.
func Forget(s *Shelf, chat string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := os.RemoveAll(s.path(chatFolder(chat))); err != nil {
		return err
	}
	_ = os.Remove(s.path(personFolder(chat))) // one that is not empty stays
	return nil
}

func (s *Shelf) sweepPerson(ctx context.Context, person string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.tidied(person)
	if err != nil {
		return err
	}
	of := map[string][]entry{}
	for i := range all {
		of[all[i].chat] = append(of[all[i].chat], all[i])
	}
	for chat, files := range of {
		young := slices.ContainsFunc(files, func(e entry) bool { return time.Since(e.since) <= looseTime })
		if young || s.lives(ctx, files[0]) {
			continue
		}
		for i := range files {
			if err := s.drop(&files[i]); err != nil {
				return err
			}
		}
		delete(of, chat)
	}
	folders, err := readDir(s.path(person))
	if err != nil {
		return err
	}
	for _, f := range folders {
		if at := path.Join(person, f.Name()); len(of[at]) == 0 {
			_ = os.Remove(s.path(at)) // one that is not empty stays
		}
	}
	_ = os.Remove(s.path(person)) // likewise
	return nil
}

// lives says whether there is the chat of a file. Where that cannot be told, there is.
func (s *Shelf) lives(ctx context.Context, e entry) bool {
	o, chat, err := s.open(path.Join(e.chat, e.id))
	if errors.Is(err, ErrNotFound) {
		return false
	}
	if err != nil {
		return true
	}
	_ = o.Close() // nothing was written
	lives, err := s.o.Lives(ctx, chat)
	return lives || err != nil
}
