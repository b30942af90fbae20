package session

import (
	"context"
	"errors"
	"time"

	"parley/pkg/channels"
)

// ErrExpired says that a pairing code is known and its time is over.
var ErrExpired = errors.New("expired")

// Pairs are the people whom the operator let in by a code, and the strangers with one.
// A person is a channel, an account and an id.
type Pairs interface {
	PairedPeople
	// AskPair stores a request and queues out, which tells the code, in one
	// transaction. It has no effect with an answer other than [PairAsked]. At most
	// b.Open codes of an account are good at a time. Where so many are, a person
	// without a recent code takes the place of the oldest code that has been good for
	// b.Grace, which is over then.
	AskPair(ctx context.Context, r PairRequest, out channels.Outbound, b PairBounds) (PairAnswer, error)
	// ApprovePair turns the request with this code into a pair and queues its notice,
	// in one transaction. [ErrNotFound]: the code is unknown; [ErrExpired]: its time
	// was over.
	ApprovePair(ctx context.Context, code string, a PairApproval) (Pair, error)
	// RevokePairs ends the pairs of an id on an account, "" being every account of the
	// channel, and returns them; [ErrNotFound] without any.
	RevokePairs(ctx context.Context, channel, account, id string) ([]Pair, error)
	// PairList returns the pairs and the stored requests, those that are over
	// included; the oldest first.
	PairList(ctx context.Context) ([]Pair, []PairRequest, error)
}

// PairedPeople are the paired ones as people: whether they are, their notices and their
// names.
type PairedPeople interface {
	// Paired says whether somebody is paired, and whether as an owner, from memory: it
	// is asked for every event, and while the engine hands out items too.
	Paired(channel, account, id string) (paired, owner bool)
	// NotePair queues a message to a paired person, unless one was queued for this
	// person and the chat of Out within Every, or for [PairNotes] other chats. It says
	// whether it did. [ErrNotFound]: the person is not paired.
	NotePair(ctx context.Context, n PairNote) (bool, error)
	// NamePerson stores the name of a person in the pairs and requests without one.
	NamePerson(ctx context.Context, channel, account, id, name string) error
}

// PairBounds bound the codes that strangers hold, for each account by itself.
type PairBounds struct {
	// Open is how many codes may be good at a time.
	Open int
	// Grace is how long a code is good however many strangers ask.
	Grace time.Duration
}

// PairRequest is a stranger with a code.
type PairRequest struct {
	Code string `json:"code"`
	// Address is where the stranger wrote, and is answered.
	Address channels.Address `json:"address"`
	Sender  channels.Sender  `json:"sender"`
	Asked   time.Time        `json:"asked"`
	Expires time.Time        `json:"expires"`
	// Yielded says that another stranger has the place of this code: it is over.
	Yielded bool `json:"yielded,omitempty"`
}

// Open says whether the code may still be used.
//
// A clock that was set back gives it no more life; a minute is for clocks that are put right.
func (r *PairRequest) Open(now time.Time) bool {
	return !r.Yielded && now.Before(r.Expires) && now.After(r.Asked.Add(-time.Minute))
}

// PairApproval is the operator's word on a request.
type PairApproval struct {
	Now time.Time
	// Owner gives the rights of an owner in direct chats.
	Owner bool
	// Notice is the message to the person. It must be quick and must not use the
	// engine; it may be called more than once.
	Notice func(PairRequest) channels.Outbound
}

// Pair is somebody whom the operator let in.
type Pair struct {
	Address channels.Address `json:"address"`
	Sender  channels.Sender  `json:"sender"`
	Since   time.Time        `json:"since"`
	// Owner says that the person has the rights of an owner in direct chats.
	Owner bool `json:"owner,omitempty"`
}

// PairNotes is in how many chats one person gets a [PairNote] within its Every.
const PairNotes = 50

// PairNote is a message to a paired person that is sent once in a while. The person
// is of the channel and the account of Out.Address; the time is Out.Time.
type PairNote struct {
	Person string
	Every  time.Duration
	Out    channels.Outbound
}

// PairAnswer is the answer to a request to be paired.
type PairAnswer string

// The answers to a request.
const (
	// PairAsked: the request is stored, and the code is on its way.
	PairAsked PairAnswer = "asked"
	// PairWaiting: there is no news. An earlier request is still open, this very
	// message was answered before, or the sender is paired.
	PairWaiting PairAnswer = "waiting"
	// PairFull: as many as may ask at a time do.
	PairFull PairAnswer = "full"
)
