// Package server is the platform that loopchat speaks to, with a ledger of
// everything that happened there: who was sent what and when, what came twice,
// out of order, to the wrong chat or never.
//
// An ask is a message of a person that carries a nonce (nq and 12 hex digits).
// Whoever answers it writes rq and the same digits, which nothing else does; so
// the ledger knows for every text which ask it answers and where it belongs.
// Canaries are the same for texts that answer nothing (a notice, a tool's
// word to the person).
//
// To add a fault: give [Fault] a field and apply it in faults.go.
package server
