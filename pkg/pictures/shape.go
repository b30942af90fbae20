package pictures

import (
	"bufio"
	"encoding/binary"
	"io"
)

// shape is the size of a picture, as all parts of its file tell it: a file may tell a small one at first, and decoders go by the
// last, or by that of a frame.
type shape struct {
	// width and height are the largest that the file tells, 0 where it tells none.
	width, height int64
	// frames is the number of pictures in the file, and scans that of the scans of a JPEG.
	frames int64
	scans  int

	file  *bufio.Reader
	ended bool
}

// shapeOf measures a picture.
func shapeOf(f io.ReaderAt, size int64, measure func(*shape)) *shape {
	s := &shape{file: bufio.NewReader(io.NewSectionReader(f, 0, size))}
	measure(s)
	s.frames = max(s.frames, 1)
	return s
}

func (s *shape) covers(width, height int64) {
	if !s.ended {
		s.width, s.height = max(s.width, width), max(s.height, height)
	}
}

// next reads a byte, 0 behind the end of the file.
func (s *shape) next() byte {
	b, err := s.file.ReadByte()
	s.ended = s.ended || err != nil
	return b
}

// take reads n bytes. Behind the end of the file they are zeros.
func (s *shape) take(n int) []byte {
	b := make([]byte, n)
	if _, err := io.ReadFull(s.file, b); err != nil {
		s.ended = true
		clear(b)
	}
	return b
}

func (s *shape) skip(n int64) {
	for n > 0 && !s.ended {
		const step = 1 << 30 // an int has 32 bits on some machines
		m, err := s.file.Discard(int(min(n, step)))
		n -= int64(m)
		s.ended = err != nil
	}
}

func be16(b []byte) int64 { return int64(binary.BigEndian.Uint16(b)) }
func be32(b []byte) int64 { return int64(binary.BigEndian.Uint32(b)) }
func le16(b []byte) int64 { return int64(binary.LittleEndian.Uint16(b)) }
func le24(b []byte) int64 { return int64(b[0]) | int64(b[1])<<8 | int64(b[2])<<16 }
func le32(b []byte) int64 { return int64(binary.LittleEndian.Uint32(b)) }

// png goes through the chunks of a PNG. Decoders refuse one that does not begin with its size.
func (s *shape) png() {
	const signature, checksum = 8, 4
	s.skip(signature)
	for first := true; !s.ended; first = false {
		head := s.take(8)
		long, kind := be32(head), string(head[4:])
		switch {
		case first && kind != "IHDR":
			return
		case kind == "IHDR" && long >= 8:
			b := s.take(8)
			s.covers(be32(b), be32(b[4:]))
			long -= 8
		case kind == "fcTL" && long >= 12: // a frame
			b := s.take(12)
			s.covers(be32(b[4:]), be32(b[8:]))
			s.frames++
			long -= 12
		}
		s.skip(long + checksum)
	}
}

// gif goes through the blocks of a GIF. A frame may be larger than the screen: decoders make room for it.
func (s *shape) gif() {
	const signature, extension, frame, end = 6, 0x21, 0x2c, 0x3b
	s.skip(signature)
	b := s.take(7)
	s.covers(le16(b), le16(b[2:]))
	s.colours(b[4])
	for !s.ended {
		switch s.next() {
		case extension:
			s.skip(1)
			s.blocks()
		case frame:
			b := s.take(9)
			s.covers(le16(b)+le16(b[4:]), le16(b[2:])+le16(b[6:]))
			s.frames++
			s.colours(b[8])
			s.skip(1)
			s.blocks()
		case end:
			return
		}
	}
}

// colours passes over a table of colours.
func (s *shape) colours(flags byte) {
	if flags&0x80 != 0 {
		s.skip(3 << (1 + flags&7))
	}
}

// blocks passes over the data of a GIF, up to a block without any.
func (s *shape) blocks() {
	for !s.ended {
		n := s.next()
		if n == 0 {
			return
		}
		s.skip(int64(n))
	}
}

// jpeg goes through the segments of a JPEG. Decoders overlook bytes between segments, and so does this. A size behind the end, behind
// a scan or behind a segment without a length is none.
func (s *shape) jpeg() {
	s.skip(2)
	for !s.ended {
		if s.next() != 0xff {
			continue
		}
		marker := byte(0xff)
		for marker == 0xff && !s.ended {
			marker = s.next()
		}
		if marker <= 0x01 || marker >= 0xd0 && marker <= 0xd7 { // without a length
			continue
		}
		if marker == 0xd8 || marker == 0xd9 || !s.segment(marker) {
			return
		}
	}
}

// segment reads a segment of a JPEG. It says whether a decoder goes on behind it.
func (s *shape) segment(marker byte) bool {
	const scan = 0xda
	long := be16(s.take(2)) - 2
	switch {
	case long < 0, marker == scan && s.width == 0:
		return false
	case marker == scan:
		s.scans++
	case marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc:
		b := s.take(5)
		s.covers(be16(b[3:]), be16(b[1:]))
		long -= 5
	}
	s.skip(long)
	return true
}

// webp goes through the chunks of a WebP, and of its frames.
func (s *shape) webp() {
	const header, bits14 = 12, 1<<14 - 1
	s.skip(header)
	for !s.ended {
		head := s.take(8)
		long := le32(head[4:])
		long += long & 1
		read := 0
		switch string(head[:4]) {
		case "VP8X":
			read = 10
			b := s.take(read)
			s.covers(le24(b[4:])+1, le24(b[7:])+1)
		case "VP8L":
			read = 5
			bits := le32(s.take(read)[1:])
			s.covers(bits&bits14+1, bits>>14&bits14+1)
		case "VP8 ":
			read = 10
			b := s.take(read)
			s.covers(le16(b[6:])&bits14, le16(b[8:])&bits14)
		case "ANMF": // a frame, with chunks of its own
			b := s.take(16)
			s.covers(le24(b[6:])+1, le24(b[9:])+1)
			s.frames++
			continue
		}
		s.skip(long - int64(read))
	}
}
