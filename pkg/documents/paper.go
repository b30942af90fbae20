package documents

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/pkg/documents/pdf"
)

// pagesTime is how long pages are read: less than [MaxTime], so that there is time to hand over the text so far.
const pagesTime = MaxTime * 7 / 10

// readPDF reads the pages of a PDF.
func readPDF(data []byte) (*Document, error) {
	began := time.Now()
	late := func() bool { return time.Since(began) > pagesTime }
	var b builder
	read, empty := 0, true
	pages, err := pdf.Read(data, late, func(p pdf.Page) bool {
		if p.Number > MaxPages || late() {
			return false
		}
		read = p.Number
		b.begin(Section{Page: p.Number})
		b.add(p.Text)
		empty = empty && strings.TrimSpace(p.Text) == ""
		return b.room()
	})
	switch {
	case errors.Is(err, pdf.ErrEncrypted):
		return nil, &Error{Reason: "The PDF is encrypted; send it without a password.", cause: err}
	case err != nil:
		return nil, &Error{Reason: "The file is damaged: it is no PDF that can be read.", cause: err}
	}
	d := b.done(PDF)
	d.Pages = max(pages, read)
	switch {
	case d.Note == "" && read < pages:
		d.Note = fmt.Sprintf("The text ends here, after page %d; the document has %d pages.", read, pages)
	case d.Note == "" && late():
		d.Note = fmt.Sprintf("The text ends here, within page %d: reading took longer than it may.", read)
	case empty:
		d.Note = "The PDF has no text: its pages are pictures, or their fonts do not say their letters."
	}
	return d, nil
}
