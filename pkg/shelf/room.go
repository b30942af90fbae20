package shelf

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// entry is a file on the shelf.
type entry struct {
	chat, id string // the folder of the chat below that of the person
	size     int64
	// since is when it was stored, or taken by a message.
	since time.Time
	// loose says that it is an upload without a message.
	loose bool
}

// reserve makes room for a file until done is called. Old files give way for it.
func (s *Shelf) reserve(ctx context.Context, in *incoming) (done func(), err error) {
	size := in.size
	if size < 0 {
		size = in.limit
	}
	size = max(size, leastFile)
	person, chat := personFolder(in.chat), chatFolder(in.chat)
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.tidied(person)
	if err != nil {
		return nil, err
	}
	loose := s.under[person].files
	for i := range all {
		if all[i].loose {
			loose++
		}
	}
	if in.id[:1] == loosely && loose >= MaxLoose {
		return nil, &FullError{MaxLoose, FullLoose}
	}
	if all, err = s.makeRoom(ctx, all, room{chat, s.o.ChatBytes - size - s.under[chat].bytes, FullChat}); err != nil {
		return nil, err
	}
	if _, err = s.makeRoom(ctx, all, room{"", s.o.PersonBytes - size - s.under[person].bytes, FullPerson}); err != nil {
		return nil, err
	}
	for _, at := range []string{person, chat} {
		s.count(at, 1, size)
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, at := range []string{person, chat} {
			s.count(at, -1, -size)
		}
	}, nil
}

func (s *Shelf) count(at string, files int, bytes int64) {
	u := s.under[at]
	u.files, u.bytes = u.files+files, u.bytes+bytes
	if s.under[at] = u; u.files == 0 {
		delete(s.under, at)
	}
}

// room is what the files of a chat, or of a person, may take.
type room struct {
	chat  string // the folder of the chat, "" for all of the person
	bytes int64
	of    FullOf
}

// limit is the bound that people are told.
func (s *Shelf) limit(of FullOf) int64 {
	if of == FullChat {
		return s.o.ChatBytes
	}
	return s.o.PersonBytes
}

// makeRoom removes the oldest files until the rest has room.
func (s *Shelf) makeRoom(ctx context.Context, all []entry, r room) ([]entry, error) {
	var taken int64
	for i := range all {
		if r.chat == "" || all[i].chat == r.chat {
			taken += all[i].size
		}
	}
	kept := all[:0:0]
	for i := range all { // the oldest first
		e := &all[i]
		within := r.chat == "" || e.chat == r.chat
		if taken > r.bytes && within && time.Since(e.since) > looseTime && !s.awaited(ctx, e) {
			if err := s.drop(e); err != nil {
				return nil, err
			}
			taken -= e.size
			continue
		}
		kept = append(kept, *e)
	}
	if taken > r.bytes {
		return nil, &FullError{s.limit(r.of), r.of}
	}
	return kept, nil
}

// awaited says whether the message with a file waits for its turn. Where the store cannot
// tell, it does.
func (s *Shelf) awaited(ctx context.Context, e *entry) bool {
	item, err := os.ReadFile(s.entryPath(e) + ofItem)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil {
		return true
	}
	waits, err := s.o.Waits(ctx, string(item))
	return waits || err != nil
}

func (s *Shelf) entryPath(e *entry) string { return s.path(path.Join(e.chat, e.id)) }

// drop removes a file, and then the name of its message.
func (s *Shelf) drop(e *entry) error {
	at := s.entryPath(e)
	if err := ignoreMissing(os.Remove(at)); err != nil {
		return err
	}
	return ignoreMissing(os.Remove(at + ofItem))
}

// tidied lists the files of a person, the oldest first, and removes the remains of dead
// processes and old uploads without a message.
func (s *Shelf) tidied(person string) ([]entry, error) {
	folders, err := readDir(s.path(person))
	if err != nil {
		return nil, err
	}
	var all []entry
	for _, f := range folders {
		here, err := s.tidiedChat(path.Join(person, f.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, here...)
	}
	slices.SortFunc(all, func(a, b entry) int { return cmp.Or(a.since.Compare(b.since), cmp.Compare(a.id, b.id)) })
	return all, nil
}

// readDir lists a folder; one that is not there is empty.
func readDir(name string) ([]fs.DirEntry, error) {
	all, err := os.ReadDir(name)
	return all, ignoreMissing(err)
}

func (s *Shelf) tidiedChat(folder string) ([]entry, error) {
	files, err := readDir(s.path(folder))
	if err != nil {
		return nil, err
	}
	times := map[string]time.Time{}
	sizes := map[string]int64{}
	for _, f := range files {
		if info, err := f.Info(); err == nil { // else it has gone meanwhile
			times[f.Name()], sizes[f.Name()] = info.ModTime(), info.Size()
		}
	}
	var all []entry
	for name, since := range times {
		e := entry{chat: folder, id: name, size: max(sizes[name], leastFile), since: since}
		taken, isTaken := times[name+ofItem]
		e.loose = name[:1] == loosely && !isTaken
		if taken.After(since) {
			e.since = taken
		}
		old := time.Since(e.since) > looseTime
		_, ofFile := times[strings.TrimSuffix(name, ofItem)]
		if validID(name) && (!e.loose || !old) {
			all = append(all, e)
			continue
		}
		if beside := strings.HasSuffix(name, ofItem) && ofFile; old && !beside {
			if err := ignoreMissing(os.Remove(s.entryPath(&e))); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}
