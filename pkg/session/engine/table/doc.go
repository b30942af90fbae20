// Package table says when the data of a store is damaged: it turns the panics that a
// damaged page causes into errors.
package table
