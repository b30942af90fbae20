// Package asking puts one question of a tool loop to a model and makes its answer fit
// to be stored: every call has an id of its own, and its arguments are settled.
package asking
