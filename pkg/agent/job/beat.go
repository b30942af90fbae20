package job

import (
	"context"
	"errors"
	"strings"
	"time"

	"parley/pkg/agent/prompt"
	"parley/pkg/session"
)

// beatOK is an answer of a heartbeat without news, as models know it from elsewhere.
const beatOK = "HEARTBEAT_OK"

// beat reads the heartbeat's instructions; the second value is the reason for which it
// is idle.
func (h *jobTurn) beat(ctx context.Context) (text, why string, err error) {
	conf := h.s.o.Heartbeat
	if conf == nil {
		return "", "the heartbeat is not configured any more", nil
	}
	text = strings.TrimSpace(conf.File())
	if !instructs(text) {
		return "", "its file has nothing to do", nil
	}
	if len(h.T.Info.Steps) > 0 {
		return text, "", nil // an earlier attempt counted it
	}
	day := h.T.Clock.Wall.In(h.T.Clock.Location()).Format(time.DateOnly)
	over := false
	_, err = h.s.Change(ctx, HeartbeatID, func(j *session.Job) error {
		if j.Runs.Day != day {
			j.Runs.Day, j.Runs.Count = day, 0
		}
		if over = j.Runs.Count >= conf.PerDay; !over {
			j.Runs.Count++
		}
		return nil
	})
	if errors.Is(err, session.ErrNotFound) {
		return "", "the heartbeat is not configured any more", nil
	}
	if over {
		why = "its runs of the day are used up"
	}
	return text, why, err
}

// instructs says whether a text has more than headings, comments and blank lines.
func instructs(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		comment := strings.HasPrefix(line, "<!--") && strings.HasSuffix(line, "-->")
		if line != "" && !strings.HasPrefix(line, "#") && !comment {
			return true
		}
	}
	return false
}

// saysNothing reports whether a heartbeat's answer is empty of news.
func saysNothing(text string) bool {
	text = bareWord(text)
	return text == "" || text == beatOK || text == prompt.NoReply
}

// mayBeatQuietly reports whether the beginning of a heartbeat's answer may turn out to
// be empty of news: it is not shown then.
func mayBeatQuietly(text string) bool { return strings.HasPrefix(beatOK, bareWord(text)) }

// beats reports whether the job is the heartbeat.
func (h *jobTurn) beats() bool { return h.job.ID == HeartbeatID }

// bareWord is a text without the marks that models put round a word.
func bareWord(text string) string { return strings.Trim(text, " \t\r\n*_`\"'.!") }

// quietBeat is the commit of a heartbeat that said nothing. What did nothing either
// leaves no trace in the conversation.
func quietBeat(c session.Commit) session.Commit {
	for i := range c.Messages {
		if len(c.Messages[i].ToolCalls) > 0 {
			return c
		}
	}
	c.Messages = nil
	return c
}
