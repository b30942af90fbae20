package session

import (
	"context"
	"slices"
	"time"
)

// Purpose is the purpose of a use of a chat's budget.
type Purpose string

// The purposes.
const (
	ForPeople     Purpose = "people"
	ForJobs       Purpose = "jobs"
	ForBackground Purpose = "background"
)

// Usage is an amount of use. Money is in millionths of whatever the prices are in.
type Usage struct {
	Turns     int   `json:"turns,omitempty"`
	Answers   int   `json:"answers,omitempty"`   // of a model
	Input     int   `json:"input,omitempty"`     // tokens that the model read
	Cached    int   `json:"cached,omitempty"`    // those of Input that its server had in a cache
	Output    int   `json:"output,omitempty"`    // tokens that it wrote
	Reasoning int   `json:"reasoning,omitempty"` // those of Output that were reasoning
	Money     int64 `json:"money,omitempty"`
}

// Add adds more to the sum. A sum does not shrink: what a model claims below zero counts
// as nothing, and a sum that is too large to count stays as it was.
func (u *Usage) Add(more Usage) {
	u.Turns, u.Answers = plus(u.Turns, more.Turns), plus(u.Answers, more.Answers)
	u.Input, u.Cached = plus(u.Input, more.Input), plus(u.Cached, more.Cached)
	u.Output, u.Reasoning = plus(u.Output, more.Output), plus(u.Reasoning, more.Reasoning)
	u.Money = plus(u.Money, more.Money)
}

func plus[N int | int64](sum, more N) N {
	return max(sum, sum+max(more, 0)) // one that is too large to count wraps around
}

// Less is the part of u that is not in part.
func (u *Usage) Less(part Usage) Usage {
	return Usage{
		Turns: minus(u.Turns, part.Turns), Answers: minus(u.Answers, part.Answers),
		Input: minus(u.Input, part.Input), Cached: minus(u.Cached, part.Cached),
		Output: minus(u.Output, part.Output), Reasoning: minus(u.Reasoning, part.Reasoning), Money: minus(u.Money, part.Money),
	}
}

func minus[N int | int64](sum, part N) N { return max(sum-part, 0) }

// ModelUsage is the use of one model: its answers, and no turns. Model is its name in the
// configuration, "" where that is unknown.
type ModelUsage struct {
	Model string `json:"model"`
	Usage Usage  `json:"usage"`
}

// Spent is a usage that is to be counted. Day is YYYY-MM-DD, in the chat's time zone.
type Spent struct {
	Day     string  `json:"day"`
	Purpose Purpose `json:"purpose"`
	// Person is the platform's id of the person for whom it was, "" where that is unknown.
	Person string `json:"person,omitempty"`
	// Usage is all of it, Models the part of each model.
	Usage  Usage        `json:"usage"`
	Models []ModelUsage `json:"models,omitempty"`
}

// Add counts one answer of a model.
func (s *Spent) Add(model string, u Usage) {
	u.Answers = 1
	s.Usage.Add(u)
	for i := range s.Models {
		if s.Models[i].Model == model {
			s.Models[i].Usage.Add(u)
			return
		}
	}
	s.Models = append(s.Models, ModelUsage{model, u})
}

// Include counts another use of the same day, purpose and person.
func (s *Spent) Include(more *Spent) {
	s.Usage.Add(more.Usage)
	for i := range more.Models {
		m := &more.Models[i]
		if at := slices.IndexFunc(s.Models, func(own ModelUsage) bool { return own.Model == m.Model }); at >= 0 {
			s.Models[at].Usage.Add(m.Usage)
		} else {
			s.Models = append(s.Models, *m)
		}
	}
}

// Rest is the part of the use that belongs to no model: the turn, and a use of unknown
// models.
func (s *Spent) Rest() Usage {
	rest := s.Usage
	for i := range s.Models {
		rest = rest.Less(s.Models[i].Usage)
	}
	return rest
}

// Share is a part of a chat's use on a day. The turns stand in the shares without a model,
// the answers with their tokens in those of the models; a use that an earlier build counted
// has neither person nor model.
type Share struct {
	Day, Person, Model string
	Purpose            Purpose
	Usage              Usage
}

// TurnUse is the use of a turn that has ended.
type TurnUse struct {
	Turn    string
	Ended   time.Time
	Outcome Outcome
	Spent   Spent
}

// Uses are the records of a chat's use, as sums and in detail. A chat that
// is unknown used nothing. The functions that are handed in must be quick, and call no
// engine.
type Uses interface {
	Turns

	// Spending is the use of a chat on a day (YYYY-MM-DD): turns, input, output and money.
	// Days are kept for 40 days at least.
	Spending(ctx context.Context, chat, day string) (map[Purpose]Usage, error)
	// Shares calls f with all parts of a chat's use from one day (YYYY-MM-DD) to another,
	// both included, in the order of the days.
	Shares(ctx context.Context, chat, from, to string, f func(Share)) error
}
