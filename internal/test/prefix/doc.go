// Package prefix takes requests to a model apart: the size of their parts, and how much
// of a request the one before has already had. A model server caches the beginning of a
// request that it has seen, so a stable beginning is cheap and fast.
//
// [Month] is a conversation of 200 turns with a real gateway, which shows how stable its
// requests are. The parts are compared in the order in which servers read them: tools, then the
// system message, then the others.
package prefix
