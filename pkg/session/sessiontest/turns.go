package sessiontest

import "parley/pkg/session"

func testTurnOf(b *bench) {
	program := session.Program{Credential: "token/1", Said: 2, Model: "small", Calls: true, Finish: "stop"}
	asked := b.say("a", "1", session.Commit{Outcome: session.OutcomeAnswered, Program: &program})
	plain := b.say("a", "2", session.Commit{Outcome: session.OutcomeFailed, Reason: "why"})
	b.append(item("a", "3"))
	b.crash()
	of := func(id string) session.TurnFact {
		f, err := b.e.Chats().TurnOf(b.Context(), item("a", id).ID)
		b.must(err)
		return f
	}
	got := of("1")
	b.equal(false, got.Program.Ended.IsZero())
	got.Program.Ended = program.Ended
	b.equal(session.TurnFact{
		Turn: asked.ID, Chat: asked.Chat, Ended: true, Session: asked.Session, Outcome: session.OutcomeAnswered, Program: &program,
	}, got)
	b.equal(session.TurnFact{
		Turn: plain.ID, Chat: plain.Chat, Ended: true, Session: plain.Session, Outcome: session.OutcomeFailed, Reason: "why",
	}, of("2"))
	b.equal(false, of("3").Ended)
	_, err := b.e.Chats().TurnOf(b.Context(), "none")
	b.wantErr(err, session.ErrNotFound)
	kept, err := b.e.Chats().ProgramOf(b.Context(), asked.Chat, asked.ID)
	b.must(err)
	b.equal(program.Credential, kept.Credential)
	for _, turn := range []string{plain.ID, "none", ""} {
		_, err := b.e.Chats().ProgramOf(b.Context(), asked.Chat, turn)
		b.wantErr(err, session.ErrNotFound)
	}
	for _, chat := range []string{asked.Chat, "none"} {
		for _, turn := range []string{"none", ""} {
			b.wantErr(b.e.Chats().ForgetTurn(b.Context(), chat, turn), session.ErrNotFound)
		}
	}
	b.wantErr(b.e.Chats().ForgetTurn(b.Context(), plain.Chat, of("3").Turn), session.ErrNotFound)
	b.must(b.e.Chats().ForgetTurn(b.Context(), asked.Chat, asked.ID))
	b.crash()
	got = of("1")
	b.equal(session.Program{Deleted: true, Ended: got.Program.Ended}, *got.Program)
	b.must(b.e.Sessions().Forget(b.Context(), asked.Session))
	_, err = b.e.Chats().ProgramOf(b.Context(), asked.Chat, asked.ID)
	b.wantErr(err, session.ErrNotFound)
}

// testForgetTurn: one that lasts stays, and so does one in which something waits.
func testForgetTurn(b *bench) {
	for chat, want := range map[string]error{"web:ada.once-1": session.ErrNotFound, "web:ada.main": nil} {
		first, second := b.say(chat, "1"+chat, session.Commit{}), b.say(chat, "2"+chat, session.Commit{})
		b.append(item(chat, "3"+chat))
		for _, turn := range []string{first.ID, second.ID} {
			b.must(b.e.Chats().ForgetTurn(b.Context(), first.Chat, turn))
			b.equal(first.Chat, b.info(chat).Chat)
		}
		w := b.turns()
		third := w.next()
		b.answer(third, session.Commit{})
		b.must(w.stop())
		b.must(b.e.Chats().ForgetTurn(b.Context(), first.Chat, third.what.Info().ID))
		_, err := b.e.Sessions().Lookup(b.Context(), addr(chat))
		if want != nil {
			b.wantErr(err, want)
		} else {
			b.must(err)
		}
	}
}
