// Package schedule is the tool schedule, by which a chat has something said or
// done later, and the arithmetic of when.
//
// What it promises:
//
//   - A spec that [ParseSpec] took is never a reason to panic, and each time that
//     it gives is after the one before.
//   - A time of day belongs to a zone. A daily 02:30 is due once on every day, also
//     on the two nights on which the clocks change: where they never show 02:30, at
//     what they would show had they not been put forward yet (03:30 on most), and
//     where they show it twice, at the first. That is the rule of calendars (RFC
//     5545). It keeps two jobs an hour apart where they were an hour apart, where
//     "the first moment after" would let all of a night's jobs out at once, and on
//     a day that a zone leaves out moves nine in the morning to nine in the morning,
//     not to midnight.
//   - An expression whose hours are all of the day ("0 * * * *") follows real time:
//     each real quarter of an hour has its turn, once, on such nights too. Hours
//     that are named, also by steps as in "0 */2 * * *", are times of day.
//   - An interval follows real time, from when it was made; runs that were missed
//     are one.
//   - The zones of the world are part of the program, for machines without them.
//   - A call that is made again makes no second job: a job's id comes from the key
//     and the arguments of the call.
//
// The package computes and checks, it fires nothing: jobs are kept by the [Book],
// which knows the chat of a call from its context. The tool itself keeps nothing of
// a call, so that it needs no SetContext. It does not say that it speaks only
// ([tools.Annotations].Speaks): a job acts later, when nobody looks, so that after
// text from outside was read a person is asked first.
//
// To add a way to say when: give [Spec] a field, read it in Spec.plan, and let the
// tool fill it in.
package schedule
