package outbound

import "parley/pkg/channels"

// Previewing is how many paces are remembered.
func (s *Sender) Previewing() int { return s.paces.Len() }

// Preview is the part of Draft before anything is sent.
func (s *Sender) Preview(to channels.Address) { s.paces.Hold(pace{to: to}, draftEvery) }
