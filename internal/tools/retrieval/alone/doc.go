// Command alone builds or searches an index of Parley and tells its memory, without the code of the
// engines beside which command retrieval measures it: a process of that one has 16 MB of code.
package main
