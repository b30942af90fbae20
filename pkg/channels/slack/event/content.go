package event

import (
	"cmp"
	"encoding/json"
	"path"
	"strings"

	"parley/pkg/channels"
	"parley/pkg/channels/slack/api"
	"parley/pkg/channels/slack/markup"
	"parley/pkg/text"
)

// tell puts the content of a message into an item: its text, its quotes, and files.
func (d *Decoder) tell(in *channels.Inbound, m *message) {
	said := markup.Read(m.Text, d.Me.User, d.Name)
	if m.Text == "" {
		said = d.layout(m.Blocks, 0)
	}
	all := []string{said}
	files := oneByOne[file](m.Files)
	attached := oneByOne[quoted](m.Attachments)
	for n := range attached {
		q := &attached[n]
		words, shared := d.quoted(q)
		in.Forwarded = in.Forwarded || shared || words != "" // an app has written them
		all = append(all, words)
		if shared {
			files = append(files, oneByOne[file](q.Files)...)
		}
	}
	for n := range files {
		f := &files[n]
		if words := f.away(); words != "" {
			in.Forwarded = in.Forwarded || f.Name != "" || f.Title != "" // somebody has named it
			all = append(all, words)
			continue
		}
		a := f.attachment()
		a.Voice = f.Subtype == "slack_audio" && f.User == m.User
		in.Attachments = append(in.Attachments, a)
	}
	in.Text = channels.Lines(all...)
}

// quoted tells of an attachment in words; shared says that the sender passes on words
// from elsewhere. Its first line keeps a command within it from being one.
func (d *Decoder) quoted(q *quoted) (words string, shared bool) {
	if q.From != "" && !q.Share && !q.Message {
		return "", false // the preview of a link that is in the text
	}
	body := channels.Lines(
		markup.Read(q.Pretext, "", d.Name), markup.Read(q.Title, "", d.Name), markup.Read(cmp.Or(q.Text, q.Else), "", d.Name),
	)
	if q.Share || q.Message {
		from := channels.OneLine(q.Author)
		if from != "" {
			from = "from " + from
		}
		return channels.Lines(channels.Bracket("a message that is passed on", from), body), true
	}
	if body == "" {
		return "", false
	}
	return channels.Lines("[attached]", body), false
}

// maxDepth is how deep a layout is read.
const maxDepth = 8

// layout is the text of blocks, where the message has no text.
func (d *Decoder) layout(raws []json.RawMessage, depth int) string {
	if depth == maxDepth {
		return ""
	}
	var all []string
	blocks := oneByOne[block](raws)
	for n := range blocks {
		b := &blocks[n]
		all = append(all, channels.Lines(d.words(b), d.inner(b, depth)))
	}
	return channels.Lines(all...)
}

// inner is the text within a block. A section of rich text makes one line.
func (d *Decoder) inner(b *block, depth int) string {
	if !strings.HasPrefix(b.Type, "rich_text_") || b.Type == "rich_text_list" {
		return channels.Lines(d.layout(b.Elements, depth+1), d.layout(b.Fields, depth+1))
	}
	var line strings.Builder
	elements := oneByOne[block](b.Elements)
	for n := range elements {
		line.WriteString(d.words(&elements[n]))
	}
	return line.String()
}

// words are the text of a block itself.
func (d *Decoder) words(b *block) string {
	switch b.Type {
	case "user":
		if b.User == d.Me.User {
			return ""
		}
		return "@" + cmp.Or(d.Name(b.User), channels.OneLine(b.User))
	case "emoji":
		return ":" + channels.OneLine(b.Name) + ":"
	case "image":
		return channels.Bracket("picture", channels.OneLine(b.Alt))
	}
	var plain string
	if json.Unmarshal(b.Text, &plain) == nil && plain != "" {
		if b.URL != "" && b.URL != plain {
			return plain + " (" + b.URL + ")"
		}
		return plain
	}
	var object struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(b.Text, &object) == nil && object.Text != "" {
		if object.Type == "mrkdwn" {
			return markup.Read(object.Text, d.Me.User, d.Name)
		}
		return object.Text
	}
	return b.URL
}

// away tells of a file that cannot be fetched; "" where it can.
func (f *file) away() string {
	name := channels.OneLine(cmp.Or(f.Name, f.Title))
	switch {
	case f.Mode == "tombstone":
		return "[a file that was deleted]"
	case f.Mode == "hidden_by_limit":
		return "[a file that the workspace's plan hides]"
	case f.External || f.Mode == "external":
		return channels.Bracket("a file that is kept elsewhere:", name, channels.OneLine(f.Private))
	case !api.IsID(f.ID):
		return channels.Bracket("a file that cannot be fetched:", name)
	default:
		return ""
	}
}

// attachment is the file as it is handed on: by its id, since its address may be of
// any length and, of a file from another workspace, is not told.
func (f *file) attachment() channels.Attachment {
	name := text.FileName(cmp.Or(f.Name, f.Title))
	details := []string{name, text.FileSize(f.Size)}
	if name == "" {
		name, details = "file-"+f.ID+extension(f.MIME), details[1:]
	}
	about := strings.Join(details, ", ")
	const perSecond, day = 1000, 24 * 60 * 60
	a := channels.Attachment{
		About: strings.TrimSpace(f.kind() + " " + strings.TrimSuffix(about, ", ")),
		Ref:   f.ID, Name: name, Size: max(f.Size, 0), Seconds: int(min(max(f.Millis, 0)/perSecond, day)),
	}
	if t := &f.Transcription; t.Status == "complete" && !t.Preview.More {
		a.Transcript = strings.TrimSpace(t.Preview.Content)
	}
	return a
}

// kind names it in a word.
func (f *file) kind() string {
	switch head, _, _ := strings.Cut(f.MIME, "/"); head {
	case "image":
		return "photo"
	case "video", "audio":
		return head
	default:
		return "document"
	}
}

// extension is one that goes with a type, or "".
func extension(mime string) string {
	switch mime {
	case "image/jpeg":
		return ".jpg"
	case "image/png", "image/gif", "application/pdf", "video/mp4", "audio/mp4":
		return "." + path.Base(mime)
	case "text/plain":
		return ".txt"
	default:
		return ""
	}
}
