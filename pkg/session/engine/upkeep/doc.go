// Package upkeep looks after a store: it prunes old records, removes the rest of forgotten
// conversations, takes snapshots, and reads the whole store after a cause for doubt.
//
// It promises that pruning keeps pace with the growth of the store, in small
// transactions, that a leap of the clock makes no record old at once, and that the store
// is written no more once a page of it is found damaged.
package upkeep
