package inbound

import (
	"errors"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/channels/wire"
)

// status is how taking in goes, for the health and the log.
type status struct {
	health *wire.Health
	log    zerolog.Logger
}

// fails tells the health the effect of err on receiving, and says whether that is news:
// a token that is refused is told once.
func (s *status) fails(err error) (news bool) {
	state, before := channels.HealthDegraded, s.health.Read().State
	if errors.Is(err, errToken) {
		state = channels.HealthAuth
	}
	s.health.Set(state, err.Error())
	return state != channels.HealthAuth || before != state
}

// works says that taking in works, and logs it where it did not before.
func (s *status) works() {
	if s.health.Read().State != channels.HealthOK {
		s.health.Set(channels.HealthOK, "")
		s.log.Info().Msg("taking in works again")
	}
}

// interrupted logs and tells the health that taking in has failed.
func (s *status) interrupted(err error, pause time.Duration, msg string) {
	level := zerolog.WarnLevel
	news := s.fails(err)
	switch {
	case !news:
		level = zerolog.DebugLevel
	case errors.Is(err, errToken):
		level = zerolog.ErrorLevel
	}
	s.log.WithLevel(level).Err(err).Dur("pause", pause).Msg(msg)
}
