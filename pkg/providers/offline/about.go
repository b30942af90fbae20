package offline

import "fmt"

// about is the model's description of itself.
type about struct{ version string }

func (a about) introduction() string {
	name := textName
	if a.version != "" {
		name = fmt.Sprintf(textNameVersion, a.version)
	}
	return fmt.Sprintf(textIntroduction, name)
}

func (a about) help() string { return a.introduction() + textHelp }

// misunderstood begins each answer to a message that the model did not understand.
const misunderstood = textMisunderstood

// unknownAgain is the answer where the conversation has the long one already.
const unknownAgain = textUnknownAgain

func (a about) unknown() string { return textUnknown }
