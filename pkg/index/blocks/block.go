package blocks

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// ErrDamaged says that a file is not as it was written.
var ErrDamaged = errors.New("the file is damaged")

const (
	// Chunk is the length of the blocks of a stream; the last one may be shorter.
	Chunk = 32 << 10
	// The length that a block may have.
	maxBlock = 1 << 20
	sumSize  = 4
	// The bytes that a writer gathers.
	buffered = 64 << 10
)

// A Kind marks the use of a block; it is a part of the checksum.
type Kind byte

// The kinds of blocks. Their numbers are stored.
const (
	KindLeaf     Kind = 1 // of a table
	KindBranch   Kind = 2 // of a table
	KindPostings Kind = 3
	KindLengths  Kind = 4
	KindKills    Kind = 5
	KindText     Kind = 6
	KindManifest Kind = 7
)

//nolint:gochecknoglobals // tables that do not change
var castagnoli, kinds = func() (*crc32.Table, [256]uint32) {
	t := crc32.MakeTable(crc32.Castagnoli)
	var k [256]uint32
	for i := range k {
		k[i] = crc32.Update(0, t, []byte{byte(i)})
	}
	return t, k
}()

// Sum is the checksum of a block.
func Sum(k Kind, payload []byte) uint32 { return crc32.Update(kinds[k], castagnoli, payload) }

// Ref is a place: the offset and the length of the payload, without checksums.
type Ref struct{ Off, Len int64 }

// Append encodes the place.
func (r Ref) Append(b []byte) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(b, uint64(r.Off)), uint64(r.Len)) //nolint:gosec // both are positive
}

// Writer appends blocks.
type Writer struct {
	w      *bufio.Writer
	off    int64
	origin int64
	sum    [sumSize]byte
}

// NewWriter begins at offset 0 of w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: bufio.NewWriterSize(w, buffered)} }

// Offset is where the next block begins, in the part that is open.
func (w *Writer) Offset() int64 { return w.off - w.origin }

// Begin begins a part: until [Writer.End], the places of blocks are relative to it. It gives what End
// needs.
func (w *Writer) Begin() (outer int64) {
	outer, w.origin = w.origin, w.off
	return outer
}

// End ends a part.
func (w *Writer) End(outer int64) { w.origin = outer }

// Block writes one block.
func (w *Writer) Block(k Kind, payload []byte) (Ref, error) {
	if len(payload) > maxBlock {
		return Ref{}, fmt.Errorf("a block of %d bytes", len(payload))
	}
	ref := Ref{w.Offset(), int64(len(payload))}
	binary.LittleEndian.PutUint32(w.sum[:], Sum(k, payload))
	if _, err := w.w.Write(payload); err != nil {
		return Ref{}, err
	}
	if _, err := w.w.Write(w.sum[:]); err != nil {
		return Ref{}, err
	}
	w.off += int64(len(payload)) + sumSize
	return ref, nil
}

// Stream writes bytes as a row of blocks.
func (w *Writer) Stream(k Kind, data []byte) (Ref, error) {
	ref := Ref{w.Offset(), int64(len(data))}
	for len(data) > 0 {
		n := min(Chunk, len(data))
		if _, err := w.Block(k, data[:n]); err != nil {
			return Ref{}, err
		}
		data = data[n:]
	}
	return ref, nil
}

// Copy writes bytes that hold whole blocks already.
func (w *Writer) Copy(r io.Reader, size int64) error {
	n, err := io.CopyN(w.w, r, size)
	w.off += n
	return err
}

// Flush hands all that was written to the writer below.
func (w *Writer) Flush() error { return w.w.Flush() }

// Reader reads the blocks of a part of a file. It may be used by many goroutines.
type Reader struct {
	r    io.ReaderAt
	base int64
	size int64
	// unchecked leaves the checksums unread; a test of hostile files sets it.
	unchecked bool
}

// NewReader reads size bytes of r.
func NewReader(r io.ReaderAt, size int64) Reader { return Reader{r: r, size: size} }

// Part reads a part of what r reads. Bytes behind its end are none of it.
func (r Reader) Part(off, size int64) (Reader, error) {
	if off < 0 || size < 0 || off > r.size || size > r.size-off {
		return Reader{}, damaged("a part at %d of %d bytes", off, size)
	}
	r.base += off
	r.size = size
	return r, nil
}

// Size is the length of the part.
func (r Reader) Size() int64 { return r.size }

// Raw reads the bytes of the part as they are.
func (r Reader) Raw() io.Reader { return io.NewSectionReader(r.r, r.base, r.size) }

// Block reads a block into buf, which grows where it must.
func (r Reader) Block(k Kind, ref Ref, buf []byte) ([]byte, error) {
	if ref.Len > maxBlock {
		return nil, damaged("a block of %d bytes", ref.Len)
	}
	return r.read(k, ref, 1, buf)
}

// Stream reads a whole stream into buf, which grows where it must.
func (r Reader) Stream(k Kind, ref Ref, buf []byte) ([]byte, error) {
	if ref.Len == 0 {
		return buf[:0], nil
	}
	return r.read(k, ref, (ref.Len+Chunk-1)/Chunk, buf)
}

// read reads the blocks of ref with their checksums at once, and moves the payloads together.
func (r Reader) read(k Kind, ref Ref, blocks int64, buf []byte) ([]byte, error) {
	if ref.Off < 0 || ref.Len < 0 || ref.Off > r.size || ref.Len > r.size-ref.Off || blocks*sumSize > r.size-ref.Off-ref.Len {
		return nil, damaged("%d bytes at %d", ref.Len, ref.Off)
	}
	total := int(ref.Len + blocks*sumSize)
	if cap(buf) < total {
		buf = make([]byte, total, total+total/4)
	}
	buf = buf[:total]
	if _, err := r.r.ReadAt(buf, r.base+ref.Off); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, damaged("%d bytes at %d", ref.Len, ref.Off)
		}
		return nil, err
	}
	size := int(ref.Len)
	if blocks > 1 {
		size = Chunk
	}
	to, from := 0, 0
	for from < total {
		n := min(size, total-from-sumSize)
		payload := buf[from : from+n]
		if !r.unchecked && Sum(k, payload) != binary.LittleEndian.Uint32(buf[from+n:]) {
			return nil, damaged("a wrong checksum at %d", ref.Off+int64(from))
		}
		to += copy(buf[to:], payload)
		from += n + sumSize
	}
	return buf[:to], nil
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}
