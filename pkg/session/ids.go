package session

import (
	"strconv"
	"strings"
	"time"

	"parley/pkg/channels"
)

// The ids of items, calls, tasks and messages are made here, and nowhere else. They are
// deterministic: a step that is made again after a crash makes the same id, and the
// engine accepts each id once. They are stored, so their forms stay as they are.

// First says that a turn's session is the one with which its chat began. Chats and sessions are
// numbered together, and a chat is made with a session, so the two numbers are neighbours.
func (i *TurnInfo) First() bool {
	const base = 36
	chat, errChat := strconv.ParseUint(strings.TrimPrefix(i.Chat, "c"), base, 64)
	own, errOwn := strconv.ParseUint(strings.TrimPrefix(i.Session, "s"), base, 64)
	return errChat == nil && errOwn == nil && own == chat+1
}

// InboundItemID is the id of the item that a channel's inbound becomes.
func InboundItemID(at channels.Address, inbound string) string {
	return at.Channel + "/" + at.Account + "/" + inbound
}

// DecisionItemID is the id of the item for the operator's decision on an approval.
func DecisionItemID(approval string) string { return "decision/" + approval }

// HandedOnID is the id of a decision's item in the conversation of the agent that
// it is for.
func HandedOnID(item string) string { return "agent/" + item }

// FiringID is the id of the item of a job that is due: one for each time of its
// schedule, so that a time fires once.
func FiringID(j *Job) string {
	id := "schedule/" + j.ID + "/" + strconv.FormatInt(j.Due.UnixNano(), 10)
	if j.Leaps > 0 {
		id += "/leap-" + strconv.Itoa(j.Leaps)
	}
	return id
}

// ManualFiringID is the id of the item of a job that a person fires at a moment.
func ManualFiringID(job string, at time.Time) string {
	return "schedule/" + job + "/by-hand/" + strconv.FormatInt(at.UnixNano(), 10)
}

// CallKey names a call within its turn, by its place.
func CallKey(round, index int) string { return strconv.Itoa(round) + "/" + strconv.Itoa(index) }

// CallID is the id of the call of a turn with a [CallKey]; a task that the call starts
// has it too.
func CallID(turn, key string) string { return turn + "/" + key }

// CallMessageID is the id of the nth message that a call sends.
func CallMessageID(turn, key string, n int) string { return CallID(turn, key) + "/" + strconv.Itoa(n) }

// CallFileID is the id of the message with the file that a call sends.
func CallFileID(turn, key string) string { return CallID(turn, key) + "/file" }

// QuestionID is the id of the message that asks about a call.
func QuestionID(turn, key string) string { return CallID(turn, key) + "/ask" }

// AgentTaskID is the id of the task of an agent that a call starts with an order.
func AgentTaskID(turn, key, order string) string { return CallID(turn, key) + "/" + order }

// StopAnswerID is the id of the message that says that a /stop ended a turn. One /stop may
// end several turns, one after the other, and is answered once.
func StopAnswerID(item string) string { return item + "/stopped" }

// SpawnItemID is the id of the item that begins the work of a task's agent.
func SpawnItemID(task string) string { return "spawn/" + task }

// TaskItemID is the id of the item that brings the result of a task to its chat.
func TaskItemID(task string) string { return "task/" + task }

// TaskReportID is the id of the message that a task ends with.
func TaskReportID(task string) string { return TaskItemID(task) + "/0" }

// TaskStatusID is the id of the message that shows how far a task is.
func TaskStatusID(task string) string { return TaskItemID(task) + "/status" }

// PairCodeID is the id of the message that tells a stranger a code, in answer to an inbound.
func PairCodeID(at channels.Address, inbound string) string {
	return "pair/" + InboundItemID(at, inbound)
}

// PairWelcomeID is the id of the message to the person with the approved code.
func PairWelcomeID(code string) string { return "pair/" + code }

// PairNoteID is the id of a [PairNote]'s message, in answer to an inbound.
func PairNoteID(at channels.Address, inbound string) string {
	return "pair-note/" + InboundItemID(at, inbound)
}
