// Package server is the platform that loopchat speaks to, with a ledger of every
// message: its recipient and time, and which ones were doubled, out of order, in the
// wrong chat or lost.
//
// An ask is a message of a person that carries a nonce (nq and 12 hex digits). Its
// answer carries rq and the same digits, which no other text has; so the ledger knows
// for every text which ask it answers and where it belongs. Canaries are the same for
// texts without a question (a notice, a tool's word to the person).
//
// To add a fault: give [Fault] a field and apply it in faults.go.
package server
