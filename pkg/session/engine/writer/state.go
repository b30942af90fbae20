package writer

import (
	"fmt"
	"sync"

	"github.com/rs/zerolog"

	"parley/pkg/session"
	"parley/pkg/session/engine/table"
)

// State is the state of a store as a whole, as far as it is durable.
type State struct {
	log     zerolog.Logger
	trouble func(error)
	epoch   uint64 // of this process

	mu       sync.Mutex
	meta     table.MetaRecord
	begun    bool // the first transaction of this process is durable
	commits  uint64
	changes  uint64 // the commits that a snapshot is worth
	grown    int    // records added since the last pruning
	writeErr error
	missed   bool  // a commit failed that may have reached the disk
	damage   error // a page is damaged: the store is written no more
}

// Meta is the state record.
func (s *State) Meta() table.MetaRecord {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.meta
}

// Epoch is the number of this process among those that wrote.
func (s *State) Epoch() uint64 { return s.epoch }

// Begun says that the first transaction of this process is durable.
func (s *State) Begun() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begun
}

// Healthy says that this process has written and that its last transaction
// did not fail: else a turn would ask the model over a message that may not be stored.
func (s *State) Healthy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begun && s.writeErr == nil
}

// Held is why the engine hands out no work, "" in normal use.
func (s *State) Held() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.damage != nil {
		return "the store is damaged: " + s.damage.Error()
	}
	return s.meta.Held
}

// Damage is the damage that a full read found, nil in normal use.
func (s *State) Damage() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.damage
}

// SetDamage ends all writing; nil lets it go on.
func (s *State) SetDamage(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.damage = err
}

// Commits counts the transactions of this process, Changes those that a snapshot is worth.
func (s *State) Commits() (commits, changes uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.commits, s.changes
}

// WriteError is why the last transaction failed, nil when it did not.
func (s *State) WriteError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writeErr
}

// Pruned is where the pruning goes on, with the number of records that were added since
// this was asked before.
func (s *State) Pruned() (cursor string, grown int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	grown = s.grown
	s.grown = 0
	return s.meta.Hand, grown
}

// SetPruned moves that place; it is stored with the next transaction.
func (s *State) SetPruned(cursor string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.meta.Hand = cursor
}

// took notes that a transaction is durable.
func (s *State) took(t *table.Tx, changes uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.Meta.Hand = s.meta.Hand // it may have moved meanwhile
	s.meta = t.Meta
	s.grown += t.Added
	s.begun = true
	s.commits++
	s.changes += changes
	if s.writeErr != nil {
		s.log.Info().Msg("the store can be written again")
		s.trouble(nil)
	}
	s.writeErr = nil
}

// failed notes that a transaction failed, and is the error for its writes.
func (s *State) failed(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writeErr == nil {
		s.log.Error().Err(err).Msg("the store cannot be written")
		s.trouble(err)
	}
	s.writeErr = err
	s.missed = true
	if table.IsPanic(err) {
		return err
	}
	return fmt.Errorf("%w: %w", session.ErrStore, err)
}

// takeMissed says whether a commit has failed since this was asked before.
func (s *State) takeMissed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	missed := s.missed
	s.missed = false
	return missed
}
