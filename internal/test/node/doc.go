// Package node runs clients of the gateway that nobody here wrote, on a Node of their own.
// Both come from npm, in the versions of clients/package-lock.json.
//
// It promises that a test that cannot have them is skipped aloud: npm is absent, or the tester
// has not set PARLEY_CLIENTS, which lets npm fetch. A new client is a line in
// clients/package.json, a lock file made anew, and a script beside them.
package node
