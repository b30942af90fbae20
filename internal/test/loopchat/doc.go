// Package loopchat is a chat platform of our own, spoken over loopback HTTP:
// the adapter that tests and benchmarks put into the gateway. Package server is
// the platform's other end.
//
// It behaves like Telegram's Bot API where that matters. Updates have ascending ids and
// wait until a poll's offset is past them; unconfirmed updates are delivered again; of
// two pollers the older gets 409; sending takes no idempotency key. It promises the
// rules of every adapter: a poll confirms only updates that [channels.Ingress] has
// durably stored, and every error of Send carries its class.
//
// The failpoints P3 (confirmed, turn not started) and P10 (request written,
// answer not read) are passed here.
//
// A platform that is real lives in pkg/channels; this one stays out of every release.
package loopchat
