package mutants

// senseMutants break what the gateway hears and sees for its models.
func senseMutants() []Mutant {
	const tools, gateway, e2e = "pkg/tools/senses", "pkg/gateway/senses", "internal/test/e2e"
	const telegram = "^TestVoiceAndPictures$/^telegram$"
	return append([]Mutant{
		{
			Promise: "voice: words", Defect: "hears without telling the words",
			File: gateway + "/senses.go", Old: "if f.Words = words; cut {", New: "if cut {",
			Dir: e2e, Test: telegram,
		},
		{
			Promise: "voice: words", Defect: "sends a recording under the name that it has on the platform",
			File: tools + "/sound.go", Old: `endingOgg  = ".ogg"`, New: `endingOgg  = ".oga"`,
			Dir: e2e, Test: telegram,
		},
		{
			Promise: "voice: words", Defect: "asks a model where Slack has written down the words",
			File: gateway + "/senses.go", Old: `case a.Transcript != "":`, New: `case a.Transcript != "" && !a.Voice:`,
			Dir: e2e, Test: "^TestVoiceAndPictures$/^slack$",
		},
		{
			Promise: "voice: once", Defect: "asks again after a crash",
			File: "pkg/agent/errand/errand.go", Old: "if s := recorded(t, e.Key); s != nil {",
			New: "if s := recorded(t, e.Key); s != nil && s.Answer == nil {",
			Dir: e2e, Test: "^TestATranscriptOverAKill$",
		},
		{
			Promise: "voice: once", Defect: "forgets the bill of a transcript from before a crash",
			File: "pkg/agent/budget/usage.go", Old: "paid := step.Kind == session.StepSensed ||", New: "paid :=",
			Dir: e2e, Test: "^TestATranscriptOverAKill$",
		},
		{
			Promise: "voice: whose words", Defect: "takes a forwarded voice message for the sender's words",
			File: "pkg/agent/trust/provenance.go", Old: "return len(in.Attachments) > 0 && !in.Forwarded", New: "return len(in.Attachments) > 0",
			Dir: "pkg/agent/trust", Test: "^TestSpokenWords$",
		},
		{
			Promise: "voice: whose words", Defect: "trusts a recording that has no words",
			File: "pkg/agent/trust/provenance.go", Old: "p.tainted = p.tainted || len(words) < len(in.Attachments)", New: "",
			Dir: "pkg/agent/trust", Test: "^TestSpokenWords$",
		},
		{
			Promise: "voice: whose words", Defect: "takes the clip of another member for the sender's words",
			File: "pkg/channels/slack/event/content.go", Old: `f.Subtype == "slack_audio" && f.User == m.User`, New: `f.Subtype == "slack_audio"`,
			Dir: "pkg/channels/slack/event", Test: "^TestClips$",
		},
	}, senseBoundMutants()...)
}

// senseBoundMutants break the bounds of recordings and pictures, and the bills of other models.
func senseBoundMutants() []Mutant {
	const tools, gateway, e2e, speech = "pkg/tools/senses", "pkg/gateway/senses", "internal/test/e2e", "pkg/providers/speech"
	return []Mutant{
		{
			Promise: "voice: bounds", Defect: "listens for hours",
			File: tools + "/sound.go", Old: "if s.Seconds > maxSeconds && !s.Estimated {", New: "if s.Seconds > maxSeconds && s.Estimated {",
			Dir: tools, Test: "^TestListen$",
		},
		{
			Promise: "voice: bounds", Defect: "believes the platform alone about a length",
			File: tools + "/sound.go", Old: "max(lengthOf(f, size, head, ending), told)", New: "told",
			Dir: tools, Test: "^TestListen$",
		},
		{
			Promise: "voice: bounds", Defect: "sends a file that has changed its size",
			File: speech + "/speech.go", Old: "if size > MaxSize || size != rec.Size {", New: "if size > MaxSize {",
			Dir: speech, Test: "^TestTranscriptFailures$",
		},
		{
			Promise: "hostile: orders in a picture or a recording", Defect: "takes an order in a picture for the person's",
			File: tools + "/tools.go", Old: "	tools.BringsOutside(ctx)\n", New: "",
			Dir: tools, Test: "^TestOrdersInAFile$",
		},
		{
			Promise: "pictures: bombs", Defect: "looks at pictures of any size",
			File: "pkg/pictures/pictures.go", Old: "case s.width > maxPixels/s.height:", New: "case s.width > maxPixels:",
			Dir: tools, Test: "^TestLook$",
		},
		{
			Promise: "pictures: bombs", Defect: "believes the screen of a GIF",
			File: "pkg/pictures/shape.go", Old: "s.covers(le16(b)+le16(b[4:]), le16(b[2:])+le16(b[6:]))", New: "_ = b",
			Dir: "pkg/pictures", Test: "^TestLookAtForgedSizes$",
		},
		{
			Promise: "pictures: bombs", Defect: "believes the first size of a picture",
			File: "pkg/pictures/shape.go", Old: "s.width, s.height = max(s.width, width), max(s.height, height)",
			New: "if s.width == 0 {\n\t\t\ts.width, s.height = width, height\n\t\t}",
			Dir: "pkg/pictures", Test: "^TestLookAtForgedSizes$",
		},
		{
			Promise: "pictures: bombs", Defect: "looks at a picture of any number of frames",
			File: "pkg/pictures/pictures.go", Old: "case s.frames > maxDrawn/(s.width*s.height):", New: "case s.frames > maxDrawn:",
			Dir: "pkg/pictures", Test: "^TestLookAtForgedSizes$",
		},
		{
			Promise: "pictures: bombs", Defect: "looks at a JPEG of any number of scans",
			File: "pkg/pictures/pictures.go", Old: "case s.scans > maxScans:", New: "case s.scans > maxScans<<9:",
			Dir: "pkg/pictures", Test: "^TestLookAtForgedSizes$",
		},
		{
			Promise: "pictures: bombs", Defect: "believes a file that was a small picture once",
			File: "pkg/providers/internal/exchange/pictures.go", Old: "size > 0 && !tooLarge(f, size)", New: "size > 0 || tooLarge(f, size)",
			Dir: "pkg/providers/internal/exchange", Test: "^TestAPictureThatBecameABomb$",
		},
		{
			Promise: "pictures: bombs", Defect: "shows a bomb to a model after all",
			File: gateway + "/pictures.go", Old: "f.Picture = nil\n\tif told", New: "if told",
			Dir: e2e, Test: "^TestVoiceAndPictures$/^web$",
		},
		{
			Promise: "voice: budgets", Defect: "asks the model that hears before the budget",
			File: "pkg/agent/errand/errand.go", Old: "t.Usage.Provider(m.Provider).Chat(", New: "m.Provider.Chat(",
			Dir: e2e, Test: "^TestAVoiceMessageAtTheLimit$",
		},
		{
			Promise: "translation", Defect: "has the model of the chat translate",
			File: gateway + "/models.go", Old: "senses.ToTranslate: turn.RoleTranslate", New: "senses.ToTranslate: turn.RoleChat",
			Dir: e2e, Test: "^TestTranslateChain$/^console$",
		},
		{
			Promise: "translation", Defect: "leaves out the glossary",
			File: tools + "/questions.go", Old: "if len(in.Glossary) > 0 {", New: "if len(in.Glossary) > maxGlossary {",
			Dir: e2e, Test: "^TestTranslateChain$/^console$",
		},
		{
			Promise: "voice: failures", Defect: "tells nobody that a model has failed",
			File: "pkg/agent/errand/errand.go", Old: "if t.Input.Mute == nil && !t.Origin.Address.Passing() {", New: "if t.Input.Mute != nil {",
			Dir: e2e, Test: "^TestVoiceAndPictures$/^telegram$",
		},
	}
}
