package pdf

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"encoding/binary"
	"io"
)

const (
	// The bounds: maxStream is the most bytes of one decoded stream, maxDecoded of all that are decoded for a file.
	maxStream  = 24 << 20
	maxDecoded = 512 << 20
	maxFilters = 8
)

// decoded gives the data of a stream; what cannot be decoded is left out.
func (f *file) decoded(s *stream) []byte {
	var filters, params []any
	switch v := f.get(first(s.dict, "Filter", "F")).(type) {
	case name:
		filters = []any{v}
		params = []any{f.get(first(s.dict, "DecodeParms", "DP"))}
	case array:
		filters = v
		params, _ = f.get(first(s.dict, "DecodeParms", "DP")).(array)
	}
	data := s.raw
	for i, v := range filters {
		if i >= maxFilters || f.spent > maxDecoded {
			return nil
		}
		n, _ := f.get(v).(name)
		var p dict
		if i < len(params) {
			p, _ = f.get(params[i]).(dict)
		}
		data = f.filter(n, p, data)
		f.spent += len(data)
	}
	return data
}

func first(d dict, keys ...name) any {
	for _, k := range keys {
		if v, ok := d[k]; ok {
			return v
		}
	}
	return nil
}

// filter undoes one filter. Filters of pictures give no data.
func (f *file) filter(n name, p dict, data []byte) []byte {
	switch n {
	case "FlateDecode", "Fl":
		return f.predicted(p, inflate(data))
	case "LZWDecode", "LZW":
		early := 1
		if v, ok := f.get(p["EarlyChange"]).(int); ok {
			early = v
		}
		return f.predicted(p, unLZW(data, early))
	case "ASCII85Decode", "A85":
		return unASCII85(data)
	case "ASCIIHexDecode", "AHx":
		q := parser{b: data}
		return []byte(q.hex())
	case "RunLengthDecode", "RL":
		return unRunLength(data)
	default:
		return nil
	}
}

// inflate gives as much as can be decompressed.
func inflate(data []byte) []byte {
	var out bytes.Buffer
	if z, err := zlib.NewReader(bytes.NewReader(data)); err == nil {
		_, _ = io.Copy(&out, io.LimitReader(z, maxStream)) // damaged data ends early
		return out.Bytes()
	}
	const header = 2
	if len(data) > header {
		_, _ = io.Copy(&out, io.LimitReader(flate.NewReader(bytes.NewReader(data[header:])), maxStream))
	}
	return out.Bytes()
}

// The codes of LZW that are no bytes, and the number of codes.
const (
	lzwClear = 256
	lzwEnd   = 257
	lzwFirst = 258
	lzwCodes = 4096
)

// lzw is the decoder of LZW with codes of 9 to 12 bits, the first bit being the highest.
type lzw struct {
	out []byte
	// Each code is the code before it and a last byte.
	before   [lzwCodes]int
	last     [lzwCodes]byte
	size     [lzwCodes]int
	next     int
	previous int
}

func unLZW(data []byte, early int) []byte {
	d := &lzw{next: lzwFirst, previous: -1}
	for i := range lzwClear {
		d.last[i], d.size[i] = byte(i), 1
	}
	const least, most = 9, 12
	width, acc, bits := least, 0, 0
	for _, b := range data {
		acc = acc<<8 | int(b)
		if bits += 8; bits < width {
			continue
		}
		bits -= width
		code := acc >> bits
		acc &= 1<<bits - 1
		if code == lzwClear {
			d.next, d.previous, width = lzwFirst, -1, least
			continue
		}
		if code == lzwEnd || !d.write(code) {
			break
		}
		if d.next+early >= 1<<width && width < most {
			width++
		}
	}
	return d.out
}

// write writes what a code stands for; false for a code that there is not, or at the bound.
func (d *lzw) write(code int) bool {
	known := code
	if code >= d.next {
		known = d.previous // the new code is the one before, and its first byte again
	}
	if code > d.next || known < 0 || len(d.out)+d.size[known] >= maxStream {
		return false
	}
	start, n := len(d.out), d.size[known]
	d.out = append(d.out, make([]byte, n)...)
	for i, c := n-1, known; i >= 0; i, c = i-1, d.before[c] {
		d.out[start+i] = d.last[c]
	}
	if code == d.next {
		d.out = append(d.out, d.out[start])
	}
	if d.previous >= 0 && d.next < lzwCodes {
		d.before[d.next], d.last[d.next], d.size[d.next] = d.previous, d.out[start], d.size[d.previous]+1
		d.next++
	}
	d.previous = code
	return true
}

func unASCII85(data []byte) []byte {
	var out []byte
	var v uint32
	n := 0
	for _, c := range data {
		switch {
		case isSpace(c):
		case c == '~':
			return last85(out, v, n)
		case c == 'z' && n == 0:
			out = append(out, 0, 0, 0, 0)
		case c < '!' || c > 'u':
		default:
			v = v*85 + uint32(c-'!')
			if n++; n == 5 {
				out = binary.BigEndian.AppendUint32(out, v)
				v, n = 0, 0
			}
		}
	}
	return last85(out, v, n)
}

func last85(out []byte, v uint32, n int) []byte {
	if n < 2 {
		return out
	}
	for i := n; i < 5; i++ {
		v = v*85 + 84
	}
	return append(out, binary.BigEndian.AppendUint32(nil, v)[:n-1]...)
}

func unRunLength(data []byte) []byte {
	var out []byte
	for i := 0; i < len(data) && len(out) < maxStream; {
		n := int(data[i])
		i++
		switch {
		case n == 128:
			return out
		case n < 128:
			end := min(i+n+1, len(data))
			out = append(out, data[i:end]...)
			i = end
		case i < len(data):
			out = append(out, bytes.Repeat(data[i:i+1], 257-n)...)
			i++
		}
	}
	return out
}

// predicted undoes the predictor of a stream of rows.
func (f *file) predicted(p dict, data []byte) []byte {
	predictor := f.integer(p["Predictor"], 1)
	if predictor < 2 {
		return data
	}
	colors, bits, columns := f.integer(p["Colors"], 1), f.integer(p["BitsPerComponent"], 8), f.integer(p["Columns"], 1)
	const most = 1 << 20
	if colors < 1 || colors > 64 || bits < 1 || bits > 16 || columns < 1 || columns > most {
		return nil
	}
	pixel := max(colors*bits/8, 1)
	row := (colors*bits*columns + 7) / 8
	if predictor == 2 {
		if bits != 8 {
			return data
		}
		for at := 0; at+row <= len(data); at += row {
			for i := pixel; i < row; i++ {
				data[at+i] += data[at+i-pixel]
			}
		}
		return data
	}
	return unPNG(data, row, pixel)
}

// unPNG undoes the predictors of PNG, which each row names in its first byte.
func unPNG(data []byte, row, pixel int) []byte {
	out := make([]byte, 0, len(data))
	above := make([]byte, row)
	for len(data) > 1 {
		kind := data[0]
		line := make([]byte, row)
		n := copy(line, data[1:])
		data = data[1+n:]
		for i := range n {
			var left, corner byte
			if i >= pixel {
				left, corner = line[i-pixel], above[i-pixel]
			}
			switch kind {
			case 1:
				line[i] += left
			case 2:
				line[i] += above[i]
			case 3:
				line[i] += left&above[i] + (left^above[i])>>1 // their mean
			case 4:
				line[i] += paeth(left, above[i], corner)
			}
		}
		out = append(out, line[:n]...)
		above = line
	}
	return out
}

func paeth(a, b, c byte) byte {
	abs := func(v int) int { return max(v, -v) }
	p := int(a) + int(b) - int(c)
	pa, pb, pc := abs(p-int(a)), abs(p-int(b)), abs(p-int(c))
	switch {
	case pa <= pb && pa <= pc:
		return a
	case pb <= pc:
		return b
	default:
		return c
	}
}
