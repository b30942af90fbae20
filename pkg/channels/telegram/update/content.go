package update

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/pkg/channels"
	"parley/pkg/text"
)

// attachment is a file that somebody sent.
type attachment struct {
	// kind and details make its line: [document report.pdf, 12 kB].
	kind    string
	details []string
	file    file
	// voice marks a recording that its sender made in the chat.
	voice bool
	// name is the file name under which it is stored.
	name string
}

// maxSeconds is the most that is believed of a length: a day.
const maxSeconds = 24 * 60 * 60

// about describes it in words.
func (a *attachment) about() string {
	details := slices.DeleteFunc(slices.Clone(a.details), func(d string) bool { return d == "" })
	return strings.TrimSpace(a.kind + " " + strings.Join(details, ", "))
}

// inbound is the file as it is handed on.
func (a *attachment) inbound() channels.Attachment {
	in := channels.Attachment{About: a.about(), Ref: a.file.ID, Name: a.name, Size: a.file.Size}
	if in.Voice = a.voice; in.Voice {
		in.Seconds = int(min(max(a.file.Duration, 0), maxSeconds))
	}
	return in
}

// describe gives the content of a message beside its text: lines, and files.
func (c *content) describe(m *message) (body string, files []attachment) {
	return channels.Lines(c.spot(), c.asked(), c.other()), c.attached(m)
}

// attached are its files. A photo comes in several sizes, an animation also as a
// document: one of them counts.
func (c *content) attached(m *message) []attachment {
	var files []attachment
	add := func(kind string, f *file, fallback string, details ...string) {
		if f == nil || f.ID == "" {
			return
		}
		name := text.FileName(f.Name)
		if name == "" {
			name = fallback + "-" + itoa(m.ID) + extension(f.MIME)
		} else {
			details = append([]string{name}, details...)
		}
		files = append(files, attachment{
			kind: kind, details: append(details, text.FileSize(f.Size)), file: *f, name: name,
		})
	}
	if p := largest(c.Photo); p != nil {
		p.MIME = "image/jpeg"
		add("photo", p, "photo", dimensions(p))
	}
	add("animation", c.Animation, "animation", seconds(c.Animation))
	if c.Animation == nil {
		add("document", c.Document, "document")
	}
	add("audio", c.Audio, "audio", title(c.Audio), seconds(c.Audio))
	add("video", c.Video, "video", seconds(c.Video))
	add("video message", c.VideoNote, "video-message", seconds(c.VideoNote))
	add("voice message", c.Voice, "voice", seconds(c.Voice))
	if c.Voice != nil {
		for i := range files {
			files[i].voice = files[i].file.ID == c.Voice.ID
		}
	}
	return files
}

// maxShown is how large the size of a photo may be that is chosen, for a model to
// see it.
const maxShown = 5 << 20

// largest is the largest size of a photo that a model may see.
func largest(sizes []file) *file {
	var best *file
	for i := range sizes {
		f := &sizes[i]
		if f.Size <= maxShown && (best == nil || f.Width*f.Height >= best.Width*best.Height) {
			best = f
		}
	}
	if best == nil {
		return nil
	}
	p := *best
	return &p
}

// card says whether it holds words that its sender has chosen, not written: the names
// in a contact or a place, a poll, a list that several write, the title of a game.
func (c *content) card() bool {
	return c.Contact != nil || c.Venue != nil || c.Poll != nil || c.Checklist != nil || c.Game != nil
}

// spot says where somebody is.
func (c *content) spot() string {
	if c.Location == nil {
		return ""
	}
	kind := "location"
	if c.Location.LivePeriod > 0 {
		kind = "live location"
	}
	at := strconv.FormatFloat(c.Location.Latitude, 'f', -1, 64) + ", " + strconv.FormatFloat(c.Location.Longitude, 'f', -1, 64)
	if c.Venue != nil {
		return channels.Bracket("venue", channels.OneLine(c.Venue.Title)+",", channels.OneLine(c.Venue.Address)+",", at)
	}
	return channels.Bracket(kind, at)
}

// asked is a poll or a checklist with its entries.
func (c *content) asked() string {
	var entries []string
	switch {
	case c.Poll != nil:
		for _, o := range c.Poll.Options {
			entries = append(entries, channels.OneLine(o.Text))
		}
		return channels.Bracket("poll:", channels.OneLine(c.Poll.Question), "—", strings.Join(entries, "; "))
	case c.Checklist != nil:
		for _, t := range c.Checklist.Tasks {
			entries = append(entries, channels.OneLine(t.Text))
		}
		return channels.Bracket("checklist:", channels.OneLine(c.Checklist.Title), "—", strings.Join(entries, "; "))
	default:
		return ""
	}
}

// other is the content that fits in a few words.
func (c *content) other() string {
	switch {
	case c.Sticker != nil:
		return channels.Bracket("sticker", channels.OneLine(c.Sticker.Emoji))
	case c.Contact != nil:
		first, last := channels.OneLine(c.Contact.FirstName), channels.OneLine(c.Contact.LastName)
		return channels.Bracket("contact", first, last+",", channels.OneLine(c.Contact.Phone))
	case c.Dice != nil:
		return channels.Bracket("dice", channels.OneLine(c.Dice.Emoji), strconv.Itoa(c.Dice.Value))
	case c.Game != nil:
		return channels.Bracket("game", channels.OneLine(c.Game.Title))
	case c.Story != nil:
		return "[a story]"
	case c.PaidMedia != nil:
		return "[paid media]"
	default:
		return ""
	}
}

// extension is the usual one of the types that Telegram itself gives.
func extension(mime string) string {
	switch mime {
	case "image/jpeg":
		return ".jpg"
	case "image/png":
		return ".png"
	case "audio/ogg":
		return ".ogg"
	case "audio/mpeg":
		return ".mp3"
	case "video/mp4":
		return ".mp4"
	case "application/pdf":
		return ".pdf"
	default:
		return ""
	}
}

func dimensions(f *file) string {
	if f.Width <= 0 || f.Height <= 0 {
		return ""
	}
	return fmt.Sprintf("%d×%d", f.Width, f.Height)
}

func title(f *file) string {
	if f == nil || f.Title == "" {
		return ""
	}
	if f.Performer == "" {
		return channels.OneLine(f.Title)
	}
	return channels.OneLine(f.Title) + " by " + channels.OneLine(f.Performer)
}

// seconds is a length such as 0:42 or 1:02:03.
func seconds(f *file) string {
	if f == nil || f.Duration <= 0 || f.Duration > int64(24*time.Hour/time.Second) {
		return ""
	}
	h, m, s := f.Duration/3600, f.Duration/60%60, f.Duration%60
	if h > 0 {
		return fmt.Sprintf("%d:%02d:%02d", h, m, s)
	}
	return fmt.Sprintf("%d:%02d", m, s)
}
