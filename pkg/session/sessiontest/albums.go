package sessiontest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
)

// part is a part of an album by sender u, with one file that has the part's name.
func part(chat, album, id, text string) session.Item {
	it := note(chat, id, text)
	it.Inbound.Group = album
	it.Inbound.Attachments = []channels.Attachment{{About: "photo", Ref: id, Name: id}}
	return it
}

// overheard is a part that does not speak to the bot.
func overheard(it session.Item) session.Item {
	it.Inbound.Overheard = true
	return it
}

// files are the names of the files that came with items.
func files(list []session.Item) []string {
	out := make([]string, len(list))
	for i := range list {
		var names []string
		for _, a := range list[i].Inbound.Attachments {
			names = append(names, a.Name)
		}
		out[i] = strings.Join(names, "+")
	}
	return out
}

func albumTests() []test {
	return []test{
		{"the parts of an album are one message, over crashes", testAlbumJoins},
		{"a part joins no other message", testAlbumOfOthers},
		{"an album has its limits", testAlbumLimits},
		{"a part that was overheard joins or is dropped", testAlbumOverheard},
		{"a part comes too late for an album that a turn has", func(b *bench) {
			b.append(part("a", "g", "1", "one"))
			w := b.turns()
			h := w.next()
			b.append(part("a", "g", "2", "late"), part("a", "g", "3", "with it"), overheard(part("a", "g", "1", "seen before")))
			b.equal([]string{"1"}, files(h.what.Info().Items))
			b.answer(h, session.Commit{})
			b.equal([]string{"2+3"}, files(w.next().what.Info().Items))
		}},
		{"a part comes too late for an album that an interrupted turn has recorded", func(b *bench) {
			b.append(part("a", "g", "1", "one"))
			h := b.turns().next()
			b.must(h.what.Record(b.Context(), session.Step{Kind: session.StepAnswer, Round: 1, Await: true}))
			b.crash()
			b.append(part("a", "g", "2", "late"))
			w := b.turns()
			h = w.next()
			b.equal([]string{"1"}, files(h.what.Info().Items))
			b.answer(h, session.Commit{})
			b.equal([]string{"2"}, files(w.next().what.Info().Items))
		}},
		{"an album is waited for, and no other chat waits", testAlbumWaits},
		{"an album that waits is not lost with the process", func(b *bench) {
			w := b.turns()
			b.append(note("b", "0", "it runs"))
			b.answer(w.next(), session.Commit{})
			b.append(part("a", "g", "1", "one"))
			b.crash()
			b.must(w.stop())
			b.equal([]string{"1"}, files(b.turns().next().what.Info().Items))
		}},
		{"an album does not come before what its chat said first", func(b *bench) {
			w := b.turns()
			b.append(note("a", "0", "look"))
			h := w.next()
			b.append(part("a", "g", "1", ""), note("a", "2", "well?"), part("a", "g", "3", ""))
			b.answer(h, session.Commit{})
			b.equal([]string{"1+3", ""}, files(w.next().what.Info().Items))
		}},
	}
}

func testAlbumJoins(b *bench) {
	first, third := part("a", "g", "1", "the trip"), part("a", "g", "3", "the beach")
	third.Inbound.Mentioned, third.Inbound.Quote, third.Solo = true, "quoted", true
	b.append(first, part("a", "g", "2", ""))
	b.crash()
	b.append(third)
	b.crash()
	last := part("a", "g", "4", "the way home")
	last.Inbound.Quote = "another"
	b.append(part("a", "g", "2", "delivered again"), last, part("a", "g", "1", "delivered again"))
	b.must(b.e.Chats().Move(b.Context(), addr("a"), addr("z")))
	b.append(part("z", "g", "5", ""), note("z", "6", "behind"))
	b.equal(2, b.status().Waiting)
	w := b.turns()
	h := w.next()
	got := h.what.Info().Items
	b.equal([]string{"test/bot/1"}, ids(got)) // alone: a part of it was Solo
	in := got[0].Inbound
	b.equal([]string{"the trip\nthe beach\nthe way home"}, wordings(got))
	b.equal([]string{"1+2+3+4+5"}, files(got))
	b.equal([]string{"quoted", "1"}, []string{in.Quote, in.MessageID})
	if !in.Mentioned {
		b.Error("a part mentions the bot, the album does not")
	}
	b.answer(h, session.Commit{})
	b.append(part("a", "g", "3", "delivered again"))
	b.answer(w.next(), session.Commit{})
	b.equal(0, b.status().Waiting)
}

func testAlbumOfOthers(b *bench) {
	alone := note("a", "0", "no part")
	inThread := part("a", "g", "5", "")
	inThread.Address.Thread = "t"
	b.append(
		alone, part("a", "g", "1", ""), from("v", "2", part("a", "g", "2", "")), part("a", "h", "3", ""),
		part("b", "g", "4", ""), inThread, part("a", "g1", "6", ""), from("v", "7", part("a", "h", "7", "")),
		overheard(from("w", "8", part("a", "g", "8", "by a stranger"))),
		part("a", "g", "9", ""), from("v", "10", part("a", "g", "10", "")),
	)
	b.equal(map[channels.Address][]string{
		addr("a"): {"", "1+9", "2+10", "3", "6", "7"}, addr("b"): {"4"}, inThread.Address: {"5"},
	}, b.allFiles())
}

// allFiles answers everything that waits and gives the files of each item, by address.
func (b *bench) allFiles() map[channels.Address][]string {
	b.Helper()
	got := map[channels.Address][]string{}
	w := b.turns()
	for b.status().Waiting > 0 {
		h := w.next()
		info := h.what.Info()
		got[info.Address] = append(got[info.Address], files(info.Items)...)
		b.answer(h, session.Commit{})
	}
	return got
}

func testAlbumLimits(b *bench) {
	var want []string
	for i := range session.MaxAlbumParts + 2 {
		name := fmt.Sprint(i)
		b.append(part("a", "g", name, ""))
		want = append(want, name)
	}
	long := strings.Repeat("x", channels.MaxText/2)
	b.append(part("b", "h", "b1", long), part("b", "h", "b2", long), part("b", "h", "b3", "short"))
	crowded := part("c", "i", "c1", "")
	crowded.Inbound.Attachments = slices.Repeat(crowded.Inbound.Attachments, channels.MaxAttachments)
	b.append(crowded, part("c", "i", "c2", ""))
	b.equal(6, b.status().Waiting)
	full := session.MaxAlbumParts
	b.equal(map[channels.Address][]string{
		addr("a"): {strings.Join(want[:full], "+"), strings.Join(want[full:], "+")},
		addr("b"): {"b1", "b2+b3"},
		addr("c"): {strings.Repeat("+c1", channels.MaxAttachments)[1:], "c2"},
	}, b.allFiles())
}

func testAlbumOverheard(b *bench) {
	b.append(overheard(part("a", "g", "1", "before")))
	b.equal(0, b.status().Waiting)
	b.append(part("a", "g", "2", "the bot's"), overheard(part("a", "g", "3", "")), overheard(part("a", "h", "4", "of another album")))
	w := b.turns()
	h := w.next()
	b.equal([]string{"2+3"}, files(h.what.Info().Items))
	b.append(overheard(part("a", "g", "5", "too late")))
	b.answer(h, session.Commit{})
	b.append(overheard(part("a", "g", "6", "too late")), overheard(part("a", "g", "3", "delivered again")))
	b.equal(0, b.status().Waiting)
}

func testAlbumWaits(b *bench) {
	w := b.turns()
	b.append(note("a", "0", "known"))
	b.answer(w.next(), session.Commit{})
	began := time.Now()
	b.append(part("a", "g", "1", ""))
	b.append(part("a", "g", "2", ""), note("b", "3", "elsewhere"))
	handed := map[string]time.Duration{}
	for handed["1"] == 0 || handed["3"] == 0 { // on a busy machine the second part may come too late
		h := w.next()
		handed[h.what.Info().Items[0].Inbound.ID] = time.Since(began)
		b.answer(h, session.Commit{})
	}
	if handed["1"] < session.AlbumWindow {
		b.Errorf("handed out after %v", handed)
	}
}
