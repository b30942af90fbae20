// Package trust says for whom a turn runs, and whether content from outside has entered
// it. Both decide which calls run, and about which a person is asked.
//
// It promises:
//
//   - A [Principal] has its rights from the policy as it is now. Work that was asked for
//     earlier has the lower of its creator's rights then and now.
//   - A turn of several items has the lowest rights among their senders.
//   - A [Provenance] is tainted by forwarded messages, by files, by results of tools that
//     bring content from outside, and by items that were tainted before; it stays so.
//   - An address counts as named only where a person wrote it, or a search found it, as a
//     whole: a part of a longer name does not count.
//
// The package decides on no call: policy does, from the facts that are kept here.
package trust
