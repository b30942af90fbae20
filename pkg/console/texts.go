package console

import (
	"errors"
	"fmt"
	"time"
)

// The words of the console.
const (
	textAgain       = "(the model is asked again)"
	textJob         = "by a schedule:"
	textTask        = "by a task in the background:"
	textWaitsForYou = "waits for your answer"
	textNoResult    = "no result"
	textAllowOnce   = "allow once"
	textAllowHere   = "allow here for 24 hours"
	textDeny        = "deny"
	textUntil       = "until "
	textOfSeveral   = " (the first of %d questions)"
	textAnswering   = "your answer is on its way"
	textAside       = "waits; Esc goes back to it"
	textNotEmpty    = "waits; its keys work when the line is empty"
	textNotAnswered = "your answer was not taken, please give it again: %v"
	textNotSent     = "this message was not sent, it is in the line again: %v"
	textNotSentBusy = "this message was not sent: %v"
	textMoreLines   = "… %d more lines"
	textLines       = "%d lines"
	textPasted      = "%d lines"
	textPastedLine  = "1 line"
	textTooLong     = "this text is longer than 512 KiB and was not put in"
	textThinking    = "thinking"
	textWriting     = "writing"
	textRunning     = "working"
	textStops       = "Ctrl-C stops"
	textStopping    = "stopping; Ctrl-C again leaves"
	textUnknown     = "There is no command /%s.%s Enter sends it as a message."
	textDidYouMean  = " Did you mean /%s? Tab puts it in."
	textSearch      = "search: "
	textNotFound    = "not found: "
	textNoEditor    = "the editor failed: %v"
	textCopied      = "copied %s to the clipboard of your terminal"
	textNothingYet  = "there is no answer to copy yet"
	textBack        = "left; to go on here: %s"
	textNoCode      = "the last answer has no block of code"
	textWelcome     = "Enter sends · Alt-Enter: new line · /: commands · @: files · Ctrl-R: history · ?: all keys"
	textNoHistory   = "the lines of this console are not kept: %v"
)

var errManyPosts = errors.New("too many messages are on their way")

// shortTime is a time in few letters.
func shortTime(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second && d%time.Second != 0:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	default:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
}

const (
	textDoesCopy = "copy the last answer, or its last block of code"
	textDoesKeys = "list the keys of this console"
	textDoesQuit = "leave the console"
)

// The keys, each with what it does behind a tab.
const (
	textKeySend      = "Enter\tsend"
	textKeyNewLine   = "Alt-Enter, Shift-Enter, \\ Enter\tbegin a new line"
	textKeyUp        = "Up, Down\tgo through the text, then through the lines of before"
	textKeySearch    = "Ctrl-R\tsearch the lines of before"
	textKeyTab       = "Tab\tcomplete a /command, a file behind @, or what was meant"
	textKeyEditor    = "Ctrl-X Ctrl-E\tedit the text in $EDITOR"
	textKeyWords     = "Ctrl-Left, Ctrl-Right\tgo by words; Alt-B and Alt-F do so too"
	textKeyEnds      = "Ctrl-A, Ctrl-E\tgo to the beginning, to the end of the line"
	textKeyCutWord   = "Ctrl-W, Alt-D\tcut the word before, behind the cursor"
	textKeyCut       = "Ctrl-U, Ctrl-K\tcut the line before, behind the cursor"
	textKeyYank      = "Ctrl-Y\tput back what was cut"
	textKeyUndo      = "Ctrl-_\tundo"
	textKeyAnswer    = "y, a, n\tanswer an open question, where the line is empty"
	textKeyEscape    = "Esc\tclose a menu; set a question aside, and back"
	textKeyClear     = "Ctrl-L\tclear the screen"
	textKeySuspend   = "Ctrl-Z\tgo to the shell; fg comes back"
	textKeyInterrupt = "Ctrl-C\tclear the line, stop the answer, leave: one after another"
	textKeyEnd       = "Ctrl-D\tleave, where the line is empty"
)
