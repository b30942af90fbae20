// Package kill is the suite that ends the gateway with SIGKILL at every failpoint,
// starts it again on the same state and checks that no message was lost, doubled,
// reordered or sent to the wrong chat. It holds tests only.
//
// Each run is made from a seed: the chats, their questions and the hit of the point at
// which the gateway dies. A point that is not reached fails the run. Plain go test runs
// one seed per point, PARLEY_KILL_SEEDS sets another number, and -short leaves out the
// suites that repeat Telegram's on another channel.
//
// To cover a new point: add a row to the table in points_test.go. To cover a
// new tool: give its load a kind in load_test.go. To cover a new channel: make
// its fake a platform, as telegram_test.go does, and run killOnce over points.
package kill
