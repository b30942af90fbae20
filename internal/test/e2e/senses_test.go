package e2e_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/internal/test/fakeslack"
	"parley/internal/test/faketelegram"
	"parley/internal/test/rig"
)

// senseful is a model that can neither hear nor see, beside one that sees: it answers the words of
// others, and makes the calls of a script. To a failure it has nothing to add.
func senseful(req fakemodel.Request) fakemodel.Answer {
	said := lastUser(req)
	switch {
	case req.Model == eyes:
		if n := len(req.Messages); n == 0 || len(req.Messages[n-1].Images) == 0 {
			return fakemodel.Say("there is no picture")
		}
		return fakemodel.Say("a red cat")
	case strings.Contains(said, "the person has been told"):
		return fakemodel.Say("NO_REPLY")
	case strings.Contains(said, "a red cat"):
		return fakemodel.Say("It is a cat.")
	case strings.Contains(said, "what time is it"):
		return fakemodel.Say("It is noon.")
	default:
		return scripted(map[string][]step{"write it down": {{"write_file", `{"path":"note.txt","content":"x"}`}}})(req)
	}
}

// eyes is the model that sees.
const eyes = "gpt-4o-mini"

// withSenses has a gateway hear by the model ears and see by the model eyes.
func withSenses(c rig.Config) rig.Config {
	c.Agent = "voice: transcribe, pictures: describe"
	c.Models = map[string]string{
		"ears": `{model: whisper-1, base_url: "%s", api_key: "env:LLM_KEY", prices: {minute: 60}}`,
		"eyes": `{model: gpt-4o-mini, base_url: "%s", api_key: "env:LLM_KEY", images: true}`,
	}
	c.More += "roles: {transcribe: ears}\n"
	return c
}

// picture is a small PNG.
func picture(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// bomb is a PNG of a few bytes that tells of 60,000 × 60,000 pixels.
func bomb(t *testing.T) []byte {
	t.Helper()
	b, side := picture(t), []byte{0, 0, 0xea, 0x60}
	copy(b[16:], side)
	copy(b[20:], side)
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	return b
}

const (
	keyRefused    = "I could not listen to your voice message: its model server refused the key, which the operator needs to check."
	notFetched    = "I did not get your voice message: could not be fetched."
	tooLong       = "I could not listen to your voice message: it is longer than 60 minutes, the most that is listened to."
	unusable      = "I could not listen to your voice message: the answer of its model server cannot be used."
	tooManyPixels = "I could not look at your picture: it has 60000 × 60000 pixels, and pictures of 50 million at most are looked at."
	tooManyBytes  = "I could not look at your picture: it has 7 MB, and pictures of 5 MB at most are looked at."
	noPicture     = "I could not look at your picture: it is no picture of a known format (jpeg, png, gif, webp)."
)

// TestVoiceAndPictures have a voice message and a picture end in a right answer, and each failure in
// one sentence.
func TestVoiceAndPictures(t *testing.T) {
	t.Parallel()
	t.Run("telegram", voiceOnTelegram)
	t.Run("slack", voiceOnSlack)
	t.Run("web", voiceOnTheWeb)
}

func voiceOnTelegram(t *testing.T) {
	t.Parallel()
	tg := faketelegram.New(t)
	chat := tg.Private(tg.User("Ada"))
	w := newTelegramWith(t, tg, senseful, withSenses(rig.Config{Telegram: &rig.Telegram{Owner: chat.ID()}}))
	chat.Voice(fakemodel.Sound("what time is it", 3), 3)
	want := []string{"It is noon."}
	reads := func(next ...string) {
		t.Helper()
		want = append(want, next...)
		w.reads(chat, want...)
	}
	reads()
	if got := w.model.Transcriptions(); len(got) != 1 || got[0].Name != "recording.ogg" || got[0].Model != "whisper-1" {
		t.Errorf("transcribed %+v", got)
	}
	chat.Photo(picture(t), "")
	reads("It is a cat.")
	chat.Photo(bomb(t), "")
	reads(tooManyPixels)
	chat.Voice(fakemodel.Sound("write it down", 3), 3)
	reads("done")
	if w.holds("note.txt") != "x" {
		t.Error("spoken words had no effect")
	}
	tg.Harm(faketelegram.Rule{Method: "getFile", Times: 1, Fault: faketelegram.Refusal("wrong file_id")})
	chat.Voice(fakemodel.Sound("what time is it", 3), 3)
	reads(notFetched)
	chat.Voice(fakemodel.Sound("deny", 3), 3)
	reads(keyRefused)
	// The words of somebody else are content from outside.
	chat.Voice(fakemodel.Sound("write it down", 3), 3, faketelegram.ForwardedFrom("Eve"))
	if q := w.asked(chat); !strings.Contains(q.Text, "write_file") {
		t.Errorf("the question is %q", q.Text)
	}
	chat.Press(w.asked(chat).ID, "Deny")
	reads("Denied by Ada: write_file was not run.")
}

func voiceOnSlack(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	chat := srv.DM(srv.User("Ada"))
	w := newSlackWith(t, srv, senseful, withSenses(rig.Config{Slack: slackApp(srv)}))
	clip := fakeslack.File{Name: "audio_message.ogg", MIME: "audio/ogg", Data: fakemodel.Sound("what time is it", 3), Clip: 3000}
	chat.ShareFiles("", clip)
	w.reads(chat, "It is noon.")
	clip.Transcript, clip.Data = "what time is it now", fakemodel.Sound("deny", 3)
	chat.ShareFiles("", clip)
	w.reads(chat, "It is noon.", "It is noon.")
	if n := len(w.model.Transcriptions()); n != 1 {
		t.Errorf("%d transcriptions, and Slack had one of its own", n)
	}
	clip.Transcript = ""
	chat.ShareFiles("", clip)
	w.reads(chat, "It is noon.", "It is noon.", keyRefused)
	chat.Share("cat.png", picture(t), "")
	w.reads(chat, "It is noon.", "It is noon.", keyRefused, "It is a cat.")
}

func voiceOnTheWeb(t *testing.T) {
	t.Parallel()
	addr := freeAddr(t)
	w := &apiWorld{world: prepare(t, senseful, rig.Config{HTTP: addr}), base: "http://" + addr + "/api"}
	w.asDocumented()
	w.runsAPI(addr)
	for i, c := range []struct {
		name    string
		content []byte
		want    string
	}{
		{"voice.ogg", fakemodel.Sound("what time is it", 3), "It is noon."},
		{"cat.png", picture(t), "It is a cat."},
		{"bomb.png", bomb(t), tooManyPixels},
		{"large.png", append(picture(t), make([]byte, 6<<20)...), tooManyBytes},
		{"text.png", []byte("no picture, but words"), noPicture},
		{"long.ogg", fakemodel.Sound("what time is it", 3601), tooLong},
		{"endless.ogg", fakemodel.Sound("endless", 3), unusable},
	} {
		key := "k" + string(rune('a'+i))
		_, after := w.posts("", key, w.upload(c.name, c.content, key+"f"))
		w.follow(after, isNamed("done"))
		if all := w.reads(); !slices.ContainsFunc(all, func(m apiMessage) bool { return m.Role == "assistant" && m.Text == c.want }) {
			t.Errorf("%s: the chat reads %+v, want %q", c.name, all, c.want)
		}
	}
	shown := 0
	asked := w.model.Requests()
	for i := range asked {
		for k := range asked[i].Messages {
			shown += len(asked[i].Messages[k].Images)
		}
	}
	if shown != 1 {
		t.Errorf("models were shown %d pictures, and one is no bomb", shown)
	}
}

// asDocumented replaces the models of the configuration by those of docs/voice-and-images.md, all on
// the scripted server.
func (w *world) asDocumented() {
	w.t.Helper()
	page, err := os.ReadFile("../../../docs/voice-and-images.md")
	if err != nil {
		w.t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(page), "```yaml\n")
	block, _, _ = strings.Cut(block, "```")
	here := `base_url: "` + w.modelURL + `", `
	block = strings.NewReplacer(`base_url: "http://127.0.0.1:11434/v1", `, here, "{model: gpt", "{"+here+"model: gpt",
		"{model: whisper", "{"+here+"model: whisper", "OPENAI_API_KEY", "LLM_KEY").Replace(block)
	text, err := os.ReadFile(w.gw.ConfigPath())
	if err != nil {
		w.t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), "agent: ")
	_, rest, _ = strings.Cut(rest, "\ntools:")
	if err := os.WriteFile(w.gw.ConfigPath(), []byte(before+block+"tools:"+rest), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// TestATranscriptOverAKill: the process is killed between the transcript and the answer. The next one
// asks for no other transcript, and the minute is on the bill once.
func TestATranscriptOverAKill(t *testing.T) {
	t.Parallel()
	tg := faketelegram.New(t)
	chat := tg.Private(tg.User("Ada"))
	var alive atomic.Bool
	asked := make(chan bool, 10)
	w := newTelegramWith(t, tg, func(req fakemodel.Request) fakemodel.Answer {
		a := senseful(req)
		if !alive.Load() {
			asked <- true
			a.Fault = fakemodel.Fault{Cut: 1, Silence: true}
		}
		return a
	}, withSenses(rig.Config{Telegram: &rig.Telegram{}}))
	chat.Voice(fakemodel.Sound("what time is it", 3), 3)
	select {
	case <-asked:
	case <-w.ctx.Done():
		t.Fatal("the model is not asked")
	}
	w.kill()
	alive.Store(true)
	w.start()
	w.reads(chat, "It is noon.")
	if n := len(w.model.Transcriptions()); n != 1 {
		t.Errorf("%d transcriptions", n)
	}
	const want = "0 turns, 1 answers, "
	for model, use := range w.usage("--by", "model") {
		if model == "ears" && (!strings.HasPrefix(use, want) || !strings.HasSuffix(use, ", 3000000")) {
			t.Errorf("the use of %s is %s", model, use)
		}
	}
	if use := w.usage("--by", "model"); use["ears"] == "" {
		t.Errorf("no use of the model that hears: %v", use)
	}
}

// TestAFileGoneAfterAKill was heard or seen before the process died: its words are used, though the
// channel no longer gives the file.
func TestAFileGoneAfterAKill(t *testing.T) {
	t.Parallel()
	for want, sends := range map[string]func(chat *faketelegram.Chat){
		"It is noon.":  func(chat *faketelegram.Chat) { chat.Voice(fakemodel.Sound("what time is it", 3), 3) },
		"It is a cat.": func(chat *faketelegram.Chat) { chat.Photo(picture(t), "") },
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			tg := faketelegram.New(t)
			chat := tg.Private(tg.User("Ada"))
			var alive atomic.Bool
			var described atomic.Int32
			asked := make(chan bool, 10)
			w := newTelegramWith(t, tg, func(req fakemodel.Request) fakemodel.Answer {
				a := senseful(req)
				if req.Model == eyes {
					described.Add(1)
				} else if !alive.Load() {
					asked <- true
					a.Fault = fakemodel.Fault{Cut: 1, Silence: true}
				}
				return a
			}, withSenses(rig.Config{Telegram: &rig.Telegram{}}))
			sends(chat)
			select {
			case <-asked:
			case <-w.ctx.Done():
				t.Fatal("the model is not asked")
			}
			w.kill()
			alive.Store(true)
			tg.Harm(faketelegram.Rule{Method: "getFile", Fault: faketelegram.Refusal("wrong file_id")})
			w.start()
			w.reads(chat, want)
			if n := len(w.model.Transcriptions()) + int(described.Load()); n != 1 {
				t.Errorf("%d transcriptions and descriptions", n)
			}
		})
	}
}

// TestAVoiceMessageAtTheLimit of its chat's day costs no transcript: its sender is told of the limit.
func TestAVoiceMessageAtTheLimit(t *testing.T) {
	t.Parallel()
	tg := faketelegram.New(t)
	chat := tg.Private(tg.User("Ada"))
	c := withSenses(rig.Config{Telegram: &rig.Telegram{}})
	c.More += "budgets: {people: {turns: 1}}\n"
	w := newTelegramWith(t, tg, senseful, c)
	chat.Voice(fakemodel.Sound("what time is it", 3), 3)
	w.says(chat, "It is noon.")
	chat.Voice(fakemodel.Sound("what time is it", 3), 3)
	w.says(chat, "Today's limit of this chat for messages is used up: 1 of 1 turns.")
	if n := len(w.model.Transcriptions()); n != 1 {
		t.Errorf("%d transcriptions", n)
	}
}
