// Package batch runs the calls of one answer of a model, side by side where they may.
package batch
