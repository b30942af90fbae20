// Package schedule is the tool schedule, by which a chat plans messages and tasks,
// and the arithmetic of due times.
//
// It promises:
//
//   - A spec that [ParseSpec] took does not panic, and each time that it gives is
//     after the one before.
//   - A time of day belongs to a zone. A daily 02:30 is due once on every day, also
//     on the two nights on which the clocks change. If they skip 02:30, it is due at
//     the time that they would show had they not been put forward yet (03:30 on
//     most); if they show it twice, at the first. That is the rule of calendars (RFC
//     5545). It keeps two jobs an hour apart that were an hour apart, while "the
//     first moment after" would let all of a night's jobs out at once. On a day that
//     a zone leaves out it moves nine in the morning to nine in the morning, not to
//     midnight.
//   - An expression with all hours of the day ("0 * * * *") follows real time: each
//     real quarter of an hour has its turn, once, on such nights too. Hours that are
//     named, also by steps as in "0 */2 * * *", are times of day.
//   - An interval follows real time, from its creation; several missed runs become
//     one.
//   - The zones of the world are part of the program, for machines without them.
//   - A repeated call makes no second job: a job's id comes from the key and the
//     arguments of the call.
//
// The package computes and checks but does not fire: the [Book] keeps the jobs and
// knows the chat of a call from its context. The tool keeps no state of a call, so it
// needs no SetContext. It does not declare that it only speaks
// ([tools.Annotations].Speaks), because a job acts later and unattended: after text
// from outside was read, a person is asked first.
//
// To add a way to name a time: give [Spec] a field, read it in Spec.plan, and let the
// tool fill it in.
package schedule
