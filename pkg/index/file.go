package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"parley/pkg/durable"
	"parley/pkg/index/blocks"
)

const (
	// The begin of a file. Its last letter is the form of the file and of the words in it: a file of
	// another form is made anew.
	magic     = "PARLEYX2"
	slotA     = 64 // two slots tell in turn where the newest manifest is
	slotB     = 128
	slotSize  = 8 + 8 + 8 + 8 + 4
	dataBegin = 192

	maxSegments = 1 << 12
	maxLevel    = 16
	fileMode    = 0o600
)

// ErrLocked says that another process has the index open.
var ErrLocked = errors.New("the index is in use by another process")

// disk is the open file.
type disk interface {
	io.ReaderAt
	io.WriterAt
	Sync() error
	Truncate(size int64) error
	Close() error
}

// file is the file of an index. It is closed when it was retired and the last reader let go.
type file struct {
	disk
	mu      sync.Mutex
	readers int
	retired bool
}

func (f *file) hold() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.readers++
}

func (f *file) release() error { return f.leave(-1, false) }

// retire says that no reader comes any more.
func (f *file) retire() error { return f.leave(0, true) }

func (f *file) leave(readers int, retire bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	was := f.retired && f.readers == 0
	f.readers += readers
	f.retired = f.retired || retire
	if was || !f.retired || f.readers > 0 {
		return nil
	}
	return f.Close()
}

// state is what a commit leaves behind.
type state struct {
	seq      uint64
	end      int64 // of the bytes in use
	nextID   int64
	segments []segment // the oldest first
}

// live counts the bytes of the segments.
func (s *state) live() int64 {
	n := int64(0)
	for i := range s.segments {
		n += s.segments[i].size
	}
	return n
}

func (s *state) manifest() []byte {
	b := blocks.AppendNumber(nil, s.nextID)
	b = blocks.AppendNumber(b, int64(len(s.segments)))
	for i := range s.segments {
		b = s.segments[i].append(b)
	}
	return b
}

// locked is a file that this process has for itself until it closes it.
type locked struct{ *os.File }

// Close gives the lock back.
func (f locked) Close() error { return durable.Unlock(f.File) }

// lock opens the file of that path for this process alone. A missing file is an empty one.
func lock(path string) (locked, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, fileMode) //nolint:gosec // the operator's state folder
		if err != nil {
			return locked{}, err
		}
		if err := lockFile(f); err != nil {
			return locked{}, errors.Join(err, f.Close())
		}
		mine, err := f.Stat()
		if err != nil {
			return locked{}, errors.Join(err, f.Close())
		}
		now, err := os.Lstat(path)
		if err == nil && os.SameFile(mine, now) {
			return locked{f}, nil
		}
		if err = errors.Join(f.Close(), err); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return locked{}, err
		}
		// Another process has replaced the file before this one had the lock.
	}
}

func lockFile(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

// readState finds the newest state whose manifest is whole.
func readState(d disk, size int64) (*state, error) {
	var head [dataBegin]byte
	if n, err := d.ReadAt(head[:], 0); err != nil && !errors.Is(err, io.EOF) || n < len(head) {
		return nil, errors.Join(err, fmt.Errorf("%w: it has no head", blocks.ErrDamaged))
	}
	if string(head[:len(magic)]) != magic {
		return nil, fmt.Errorf("%w: it has another form", blocks.ErrDamaged)
	}
	var newest *state
	for _, at := range []int{slotA, slotB} {
		s, err := readSlot(d, head[at:at+slotSize], size)
		if err != nil {
			continue // the other one is from before
		}
		if newest == nil || s.seq > newest.seq {
			newest = s
		}
	}
	if newest == nil {
		return nil, fmt.Errorf("%w: no manifest is whole", blocks.ErrDamaged)
	}
	return newest, nil
}

func readSlot(d disk, slot []byte, size int64) (*state, error) {
	sum := binary.LittleEndian.Uint32(slot[slotSize-4:])
	if blocks.Sum(blocks.KindManifest, slot[:slotSize-4]) != sum {
		return nil, blocks.ErrDamaged
	}
	at := func(i int) int64 { return int64(binary.LittleEndian.Uint64(slot[i*8:])) } //nolint:gosec // checked by Block
	s := &state{seq: uint64(at(0)), end: at(3)}                                      //nolint:gosec // a pattern of bits
	if s.end < dataBegin || s.end > size {
		return nil, fmt.Errorf("%w: it is cut off", blocks.ErrDamaged)
	}
	r := blocks.NewReader(d, s.end)
	b, err := r.Block(blocks.KindManifest, blocks.Ref{Off: at(1), Len: at(2)}, nil)
	if err != nil {
		return nil, err
	}
	err = s.read(b)
	return s, err
}

func (s *state) read(b []byte) error {
	f := blocks.NewFields(b)
	s.nextID = f.Number(maxSegmentID)
	used := int64(dataBegin)
	for range f.Number(maxSegments) {
		seg := readSegment(&f, s.end)
		if seg.off < used {
			return fmt.Errorf("%w: segments lie over each other", blocks.ErrDamaged)
		}
		used = seg.off + seg.size
		s.segments = append(s.segments, seg)
	}
	return f.Err()
}

// commit makes a state the newest one, whose segments are written up to end.
func commit(d disk, s *state, end int64) error {
	var manifest segmentBuffer
	w := blocks.NewWriter(&manifest)
	ref, err := w.Block(blocks.KindManifest, s.manifest())
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		return err
	}
	if _, err := d.WriteAt(manifest, end); err != nil {
		return err
	}
	if err := d.Sync(); err != nil {
		return err
	}
	s.end = end + int64(len(manifest))
	var slot [slotSize]byte
	for i, n := range []uint64{s.seq, uint64(end + ref.Off), uint64(ref.Len), uint64(s.end)} { //nolint:gosec // not negative
		binary.LittleEndian.PutUint64(slot[i*8:], n)
	}
	binary.LittleEndian.PutUint32(slot[slotSize-4:], blocks.Sum(blocks.KindManifest, slot[:slotSize-4]))
	at := int64(slotA)
	if s.seq%2 == 1 {
		at = slotB
	}
	_, err = d.WriteAt(slot[:], at)
	return err
}

// segmentBuffer gathers bytes.
type segmentBuffer []byte

func (b *segmentBuffer) Write(p []byte) (int, error) {
	*b = append(*b, p...)
	return len(p), nil
}

// replace writes a new file with the segments that write makes, and puts it in the place of the one
// of that path.
func replace(path string, wrap func(disk) disk, write func(w io.Writer) (*state, error)) (_ *file, _ *state, err error) {
	part := path + durable.Unfinished
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	f, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE|os.O_EXCL, fileMode) //nolint:gosec // the operator's state folder
	if err != nil {
		return nil, nil, err
	}
	d := wrap(locked{f})
	defer func() {
		if err != nil {
			err = errors.Join(err, d.Close(), os.RemoveAll(part))
		}
	}()
	if err := lockFile(f); err != nil {
		return nil, nil, err
	}
	head := make([]byte, dataBegin)
	copy(head, magic)
	if _, err := d.WriteAt(head, 0); err != nil {
		return nil, nil, err
	}
	s, err := write(io.NewOffsetWriter(d, dataBegin))
	if err != nil {
		return nil, nil, err
	}
	s.seq = 1
	if err := commit(d, s, dataBegin+s.live()); err != nil {
		return nil, nil, err
	}
	if err := d.Sync(); err != nil {
		return nil, nil, err
	}
	if err := os.Rename(part, path); err != nil {
		return nil, nil, err
	}
	return &file{disk: d}, s, durable.SyncDir(filepath.Dir(path))
}
