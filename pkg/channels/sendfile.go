package channels

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"parley/pkg/text"
)

// uploadRate is how many bytes of a file a second are the least that a line can
// carry: a send has that much more time.
const uploadRate = 256 << 10

// senderOf is the sender for the file of a delivery; nil without a file, or where the
// channel takes none.
func (e *Egress) senderOf(info DeliveryInfo) FileSender {
	if info.Outbound.File == nil {
		return nil
	}
	s, _ := e.opt.Channel.(FileSender)
	return s
}

// compose makes the parts: one of a file, with its caption, and those of a text.
func (r *delivering) compose() []string {
	o := &r.info.Outbound
	switch {
	case r.sender != nil:
		return []string{r.egress.opt.Redact(cleanText(o.Text))}
	case o.File != nil:
		return r.egress.cut(r.inWords(textFileHere))
	default:
		return r.egress.cut(o.Text)
	}
}

// inWords is the text that stands for the file, below its caption.
func (r *delivering) inWords(why string) string {
	o := &r.info.Outbound
	name := "`" + strings.ReplaceAll(r.fileName(), "`", "'") + "`"
	return strings.TrimSpace(fmt.Sprintf(textFileInstead, o.Text, name, cmp.Or(text.FileSize(o.File.Size), textFileEmpty), why))
}

func (r *delivering) fileName() string {
	return cmp.Or(r.egress.opt.Redact(cleanText(r.info.Outbound.File.Name)), textFileNameless)
}

// attempt puts the part on the platform, as a file or as a text.
func (r *delivering) attempt(ctx context.Context, part Part) (Receipt, error) {
	if r.sender == nil {
		return r.egress.opt.Channel.Send(ctx, part)
	}
	file := *part.File
	file.Name = r.fileName()
	part.File = &file
	return r.sender.SendFile(ctx, FilePart{Part: part, Open: func() (fs.File, error) {
		if r.egress.opt.Files == nil {
			return nil, fs.ErrNotExist
		}
		return r.egress.opt.Files.Open(part.ID)
	}})
}

// insteadOfFile makes the delivery of a refused file one of a text that says so.
// A restart before the text left finds the file again, which is refused again.
func (r *delivering) insteadOfFile(se *SendError) string {
	r.refusal = r.egress.opt.Redact(se.Error())
	r.egress.log(r.info).Warn().Str("error", r.refusal).Msg("a file was refused")
	r.egress.account.authorised()
	r.sender = nil
	parts := r.egress.cut(r.inWords(textFileRefused))
	if len(parts) > 1 { // the caption leaves no room
		r.info.Outbound.Text = ""
		parts = r.egress.cut(r.inWords(textFileRefused))
	}
	return parts[0]
}

// complete is the outcome of a message whose last part was accepted.
func (r *delivering) complete(last Receipt) *Outcome {
	if r.refusal != "" {
		return &Outcome{State: Refused, Reason: r.refusal}
	}
	return &Outcome{State: Delivered, Receipt: last}
}

// uploadTime is what a file needs beyond the time of a text.
func (r *delivering) uploadTime() time.Duration {
	if r.sender == nil {
		return 0
	}
	return time.Duration(r.info.Outbound.File.Size) * time.Second / uploadRate
}

// dropFile forgets the content of a file that has its outcome. What stays is
// found at the next start.
func (r *delivering) dropFile() {
	if r.info.Outbound.File == nil || r.egress.opt.Files == nil {
		return
	}
	if err := r.egress.opt.Files.Drop(r.info.Outbound.ID); err != nil {
		r.egress.log(r.info).Warn().Err(err).Msg("a file that was sent is still kept")
	}
}
