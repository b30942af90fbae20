// Package part is the part of a measurement that is a process of its own, so that its time and its
// memory can be told: it builds or searches the index of one engine. It has Parley's engine as well.
package part
