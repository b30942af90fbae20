// Package testtools holds the tools that tests put into the gateway: tools with effects
// that can be counted from outside, and tools that misbehave on purpose.
//
// It promises that every execution of effect and effect_rerun leaves exactly one
// durable line in the file of effects, written before failpoint P7, so that a
// second execution of a call shows.
//
// To add one: write a constructor that returns a [tools.Tool] and add it to [All].
package testtools
