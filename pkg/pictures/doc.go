// Package pictures holds pictures to their bounds before a model is shown them.
//
// It promises that no pixel is decoded, that all sizes that a file tells count, those of its frames too, and that a look takes
// one pass over the file at most.
//
// To add a format: tell it by its first bytes in kindOf, and write a method of shape that goes through its parts.
package pictures
