package pictures_test

import (
	"bytes"
	"strings"
	"testing"

	"parley/pkg/pictures"
)

// TestLookAtMarkers gives a JPEG the size that its decoders see: some markers have no length,
// and behind some there can be no size.
func TestLookAtMarkers(t *testing.T) {
	t.Parallel()
	const small, large = "\xff\xc0\x00\x11\x08\x00\x07\x00\x09", "\xff\xc0\x00\x11\x08\xff\xff\xff\xff"
	// Taken for a length, the first bytes of the large size lead to the small one.
	hidden := large + strings.Repeat("\x00", 0xffc0-len(large)) + small
	for name, c := range map[string]struct{ segments, want string }{
		"a restart":              {"\xff\xd0" + hidden, "million"},
		"the last restart":       {"\xff\xd7" + hidden, "million"},
		"a TEM":                  {"\xff\x01" + hidden, "million"},
		"a fill byte":            {"\xff" + large, "million"},
		"a restart, and small":   {"\xff\xd3" + small, ""},
		"a second beginning":     {"\xff\xd8" + hidden, "cannot be read"},
		"an end before its size": {"\xff\xd9" + small, "cannot be read"},
		"a scan before its size": {"\xff\xda\x00\x08" + small + small, "cannot be read"},
		"a length of 1":          {"\xff\xe0\x00\x01" + small, "cannot be read"},
	} {
		data := []byte("\xff\xd8" + c.segments + strings.Repeat("\x00", 20))
		got, err := pictures.Look(bytes.NewReader(data), int64(len(data)))
		if c.want == "" && (got != "image/jpeg" || err != nil) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %q, %v; want %q", name, got, err, c.want)
		}
	}
}

// TestLookAtForgedSizes looks at pictures whose first size is small, and which a decoder finds large.
func TestLookAtForgedSizes(t *testing.T) {
	t.Parallel()
	const (
		gifHead  = "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff"
		beyond   = "\x2c\x00\x00\x00\x00\xff\xff\xff\xff\x00\x02\x00;"
		fullHD   = "\x2c\x00\x00\x00\x00\x80\x07\x38\x04\x00\x02\x01\x00\x00"
		pngHead  = "\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00sum."
		pngLarge = "\x00\x00\x00\x0dIHDR\x00\x00\xff\xff\x00\x00\xff\xff\x08\x02\x00\x00\x00sum."
		pngFrame = "\x00\x00\x00\x1afcTL\x00\x00\x00\x01\x00\x00\xff\xff\x00\x00\xff\xff" +
			"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x01\x00\x00sum."
		webp = "RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00"
		anmf = "ANMF\x18\x00\x00\x00\x00\x00\x00\x00\x00\x00\x7f\x07\x00\x37\x04\x00\x00\x00\x00\x00" +
			"VP8L\x05\x00\x00\x00\x2f\x00\x00\x00\x00\x00"
		lossy    = "ALPH\x01\x00\x00\x00\x00\x00VP8 \x0a\x00\x00\x00\x00\x00\x00\x9d\x01\x2a\xff\x3f\xff\x3f"
		sof      = "\xff\xc2\x00\x11\x08\x07\x80\x04\x38\x03\x01\x22\x00\x02\x11\x01\x03\x11\x01"
		sofLarge = "\xff\xc0\x00\x11\x08\xff\xff\xff\xff\x03\x01\x22\x00\x02\x11\x01\x03\x11\x01"
		scan     = "\xff\xda\x00\x08\x01\x01\x00\x00\x00\x00\x12\xff\x00\x34"
	)
	for name, c := range map[string]struct{ data, want string }{
		"a frame beyond the screen of a GIF": {gifHead + beyond, "65535 × 65535"},
		"a GIF without a screen":             {"GIF89a\x00\x00\x00\x00\x00\x00\x00" + beyond, "65535 × 65535"},
		"a frame behind a comment":           {gifHead + "\x21\xfe\x02hi\x00" + beyond, "65535 × 65535"},
		"a GIF of a thousand frames":         {gifHead + strings.Repeat(fullHD, 1000) + ";", "1000 frames"},
		"a GIF of a hundred frames":          {gifHead + strings.Repeat(fullHD, 100) + ";", ""},
		"a second head of a PNG":             {pngHead + pngLarge, "65535 × 65535"},
		"a frame of a PNG":                   {pngHead + pngFrame, "65535 × 65535"},
		"a WebP within a WebP":               {webp + "VP8L\x05\x00\x00\x00\x2f\xff\xff\xff\x0f\x00", "16384 × 16384"},
		"a lossy WebP within a WebP":         {webp + lossy, "16383 × 16383"},
		"a WebP of a thousand frames":        {webp + strings.Repeat(anmf, 1000), "1000 frames"},
		"a size behind much junk":            {"\xff\xd8\xff\xe0\x00\x02" + strings.Repeat("\x00", 200_000) + sofLarge, "65535 × 65535"},
		"a second size":                      {"\xff\xd8" + sof + sofLarge, "65535 × 65535"},
		"a size behind a scan":               {"\xff\xd8" + sof + scan + sofLarge, "65535 × 65535"},
		"a JPEG of a thousand scans":         {"\xff\xd8" + sof + strings.Repeat(scan, 1000) + "\xff\xd9", "scans"},
		"a JPEG of ten scans":                {"\xff\xd8" + sof + strings.Repeat(scan, 10) + "\xff\xd9", ""},
	} {
		_, err := pictures.Look(strings.NewReader(c.data), int64(len(c.data)))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
