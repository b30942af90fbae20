package index

import (
	"encoding/binary"
	"fmt"
	"math"

	"parley/pkg/index/blocks"
)

// posting says how often a passage has a term.
type posting struct {
	passage uint32
	count   uint32
}

const (
	// The length up to which postings are in the table of the terms.
	inlinePostings = 512
	tagInline      = 0
	tagStream      = 1
	maxCount       = 1 << 20
)

// appendPosting encodes the posting of a passage behind that of the passage last, which is -1 before
// the first one.
func appendPosting(b []byte, last int64, p posting) []byte {
	step := uint64(int64(p.passage)-last-1) << 1 //nolint:gosec // passages ascend
	if p.count == 1 {
		return binary.AppendUvarint(b, step)
	}
	return binary.AppendUvarint(binary.AppendUvarint(b, step|1), uint64(p.count))
}

// decodePostings appends the postings in b to all, for passages below limit.
func decodePostings(b []byte, limit uint32, all []posting) ([]posting, error) {
	next := uint64(0)
	for i := 0; i < len(b); {
		step := uint64(b[i])
		n := 1
		if step >= 0x80 {
			step, n = binary.Uvarint(b[i:])
		}
		if n <= 0 {
			return nil, damagedPostings()
		}
		i += n
		count := uint64(1)
		if step&1 != 0 {
			count, n = binary.Uvarint(b[i:])
			if n <= 0 || count > math.MaxUint32 {
				return nil, damagedPostings()
			}
			i += n
		}
		step >>= 1
		if step >= uint64(limit) || next+step >= uint64(limit) {
			return nil, damagedPostings()
		}
		next += step
		all = append(all, posting{uint32(next), uint32(count)}) //nolint:gosec // both are bounded above
		next++
	}
	return all, nil
}

func damagedPostings() error { return fmt.Errorf("%w: postings", blocks.ErrDamaged) }

// putPostings writes the encoded postings of a term, and gives its value in the table.
func putPostings(w *blocks.Writer, value, encoded []byte) ([]byte, error) {
	if len(encoded) <= inlinePostings {
		return append(append(value[:0], tagInline), encoded...), nil
	}
	ref, err := w.Stream(blocks.KindPostings, encoded)
	return ref.Append(append(value[:0], tagStream)), err
}

// readPostings gives the encoded postings of a term by its value in the table. They are in the
// value or in buf.
func readPostings(r blocks.Reader, value, buf []byte) (encoded, newBuf []byte, err error) {
	f := blocks.NewFields(value)
	switch f.Number(tagStream) {
	case tagInline:
		return f.Rest(), buf, f.Err()
	default:
		ref := f.Ref(r.Size())
		if err := f.Err(); err != nil {
			return nil, buf, err
		}
		b, err := r.Stream(blocks.KindPostings, ref, buf)
		if err != nil {
			return nil, buf, err
		}
		return b, b, nil
	}
}
