package pdf

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"io"
)

const (
	// maxStream is the most bytes of one decoded stream, maxDecoded of all that are decoded for a file.
	maxStream  = 24 << 20
	maxDecoded = 1 << 30
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

// unLZW decodes LZW with codes of 9 to 12 bits.
func unLZW(data []byte, early int) []byte {
	const clearCode, endCode, firstCode, most = 256, 257, 258, 4096
	type entry struct {
		prev int16
		last byte
		size int16
	}
	var table [most]entry
	for i := range 256 {
		table[i] = entry{-1, byte(i), 1}
	}
	var out []byte
	next, width, prev := firstCode, 9, -1
	acc, bits := 0, 0
	for _, b := range data {
		acc = acc<<8 | int(b)
		bits += 8
		if bits < width {
			continue
		}
		bits -= width
		code := acc >> bits
		acc &= 1<<bits - 1
		switch {
		case code == endCode:
			return out
		case code == clearCode:
			next, width, prev = firstCode, 9, -1
			continue
		case code > next || code == next && prev < 0:
			return out
		}
		start := len(out)
		from := code
		if code == next {
			from = prev
		}
		n := int(table[from].size)
		if start+n+1 > maxStream {
			return out
		}
		out = append(out, make([]byte, n)...)
		for i, c := n-1, from; i >= 0 && c >= 0; i, c = i-1, int(table[c].prev) {
			out[start+i] = table[c].last
		}
		if code == next {
			out = append(out, out[start])
		}
		if prev >= 0 && next < most {
			table[next] = entry{int16(prev), out[start], table[prev].size + 1}
			next++
		}
		if next+early >= 1<<width && width < 12 {
			width++
		}
		prev = code
	}
	return out
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
				out = append(out, byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
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
	return append(out, []byte{byte(v >> 24), byte(v >> 16), byte(v >> 8)}[:n-1]...)
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
				line[i] += byte((int(left) + int(above[i])) / 2)
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
