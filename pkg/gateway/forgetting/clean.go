package forgetting

import (
	"context"
	"errors"
	"slices"

	"parley/internal/failpoint"
	"parley/pkg/channels"
	"parley/pkg/session/forgets"
)

// Chat is a chat that is forgotten.
type Chat struct {
	// ID is that of the chat in the store.
	ID string
	// At are its addresses, the present one first.
	At []channels.Address
}

// Cleaner removes files that chats have beside the store. It is called until it returns nil, in a later
// process too; a chat that has no such files is no error.
type Cleaner func(ctx context.Context, c Chat) error

// files removes the files at the addresses of a chat.
func files(ctx context.Context, o *Options, e *forgets.Entry) error {
	if !e.Whole() {
		return nil
	}
	return cleaned(ctx, chatOf(e), o.Files)
}

// records deletes the records of a chat, behind the files that it got since an earlier attempt removed them.
func (f *Forgetting) records(ctx context.Context, e *forgets.Entry) error {
	there, err := f.o.Store.Has(e.Chat)
	if err == nil && there {
		err = files(ctx, &f.o, e)
	}
	if err != nil {
		return err
	}
	return errors.Join(f.store(ctx, e), f.follow(ctx, e))
}

// note notes a step that the chat waits for. Two forgets of a chat remove the same files, and then a chat may begin
// anew at its address.
func note(ledger *forgets.Ledger, e *forgets.Entry, s forgets.Step) error {
	var errs []error
	all := ledger.Unfinished()
	for i := range all {
		other := &all[i]
		if other.ID == e.ID || s == forgets.StepFiles && other.Chat == e.Chat && e.Whole() && other.Whole() {
			errs = append(errs, ledger.Did(other.ID, s))
		}
	}
	return errors.Join(errs...)
}

// rest removes the other files; only those in indexes belong to a single conversation too.
func rest(ctx context.Context, o *Options, e *forgets.Entry) error {
	cleaners := o.Indexes
	if e.Whole() {
		cleaners = slices.Concat(cleaners, o.Rest)
	}
	return cleaned(ctx, chatOf(e), cleaners)
}

// chatOf is the chat of an entry.
func chatOf(e *forgets.Entry) Chat {
	if len(e.Moved) == 0 {
		return Chat{ID: e.Chat, At: []channels.Address{e.At}}
	}
	return Chat{ID: e.Chat, At: e.Moved}
}

func cleaned(ctx context.Context, c Chat, cleaners []Cleaner) error {
	var errs []error
	for i, clean := range cleaners {
		errs = append(errs, clean(ctx, c))
		if i == 0 {
			failpoint.Hit("F3")
		}
	}
	return errors.Join(errs...)
}
