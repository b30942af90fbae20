// Package doctor looks for the faults of a set-up: its configuration, its folders, this
// machine, the store, and the servers that the configuration names. A [Check] looks at one
// thing and gives a [Finding] for each of its parts: a verdict, and the cure of a fault.
//
// It promises:
//
//   - [Run] writes nothing to the store and nothing into the state folder. Where a gateway
//     runs, that gateway is asked for the state of its store.
//   - Each check ends in time, whether or not its work does, and a check that did not end
//     is no ok. Checks that ask servers do so side by side.
//   - No finding holds a secret, and each is a line of bounded length.
//   - A configuration that is wrong keeps no other check from running, except those that
//     depend on its faulty part: these are skipped. No server of a configuration that breaks
//     the rules is asked, because a key could leave this machine unencrypted.
//
// To add a check: write a method of setup that gives findings, and put it into the table of
// [setup.checks].
package doctor
