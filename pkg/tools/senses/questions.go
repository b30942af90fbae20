package senses

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/pkg/providers"
	"parley/pkg/text"
)

// Purpose is that for which a model is asked.
type Purpose string

// The purposes.
const (
	ToTranscribe Purpose = "transcribe"
	ToDescribe   Purpose = "describe"
	ToTranslate  Purpose = "translate"
)

// maxWords is how many bytes of a model's answer are used.
const maxWords = 48 << 10

// Question is a request to a model for one of the purposes.
type Question struct {
	Purpose  Purpose
	Messages []providers.Message
	Options  map[string]any
}

// Transcription asks for the words of a recording.
func Transcription(rec *providers.Recording) Question {
	return Question{
		Purpose:  ToTranscribe,
		Messages: []providers.Message{{Role: providers.RoleUser, Content: orderTranscribe}},
		Options:  map[string]any{providers.OptionRecording: rec},
	}
}

// Description asks for a description of pictures, or for the answer to a question about them.
func Description(pictures []providers.Image, question string) Question {
	if question == "" {
		question = orderDescribe
	}
	return Question{Purpose: ToDescribe, Messages: []providers.Message{
		{Role: providers.RoleSystem, Content: rulesDescribe},
		{Role: providers.RoleUser, Content: question, Images: pictures},
	}}
}

// translation asks for a translation.
func translation(in *translateInput) Question {
	from := ""
	if in.From != "" {
		from = " from " + in.From
	}
	order := fmt.Sprintf(orderTranslate, from, in.To)
	if len(in.Glossary) > 0 {
		lines := make([]string, 0, len(in.Glossary))
		for _, word := range slices.Sorted(maps.Keys(in.Glossary)) {
			lines = append(lines, word+" = "+in.Glossary[word])
		}
		order += orderGlossary + strings.Join(lines, "\n")
	}
	return Question{Purpose: ToTranslate, Messages: []providers.Message{
		{Role: providers.RoleSystem, Content: order},
		{Role: providers.RoleUser, Content: in.Text},
	}}
}

// Words are the usable words of an answer; cut says that the answer was longer, or was not
// finished.
func Words(resp *providers.LLMResponse) (words string, cut bool) {
	words = strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(resp.Content, "\uFFFD"), "\x00", ""))
	if len(words) > maxWords {
		return text.ClipBytes(words, maxWords), true
	}
	return words, resp.FinishReason == providers.FinishLength
}
