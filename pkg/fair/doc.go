// Package fair shares a number of places among owners, mostly chats, so that an owner
// with many calls does not keep the others waiting.
//
// It promises:
//
//   - An owner that holds n places gets another only while more than n are free. So one
//     owner alone holds at most half of them (of one place: that one), and some are left
//     for owners that come later.
//   - Of the waiting owners, the one with the fewest places comes first; of equal ones,
//     the owner that came, or last had a place, longest ago. So owners that come one
//     after the other do not keep back one that waits.
//   - An owner's own calls are served in the order in which they came.
//   - The queue is bounded: an owner with [MostWaiting] waiting calls is refused.
//   - A call that takes long can yield: [Places.Wanted] says when another owner, with
//     fewer places, waits for its place.
//
// To share another resource fairly: make [Places] for it, and name the owner of each
// call by its chat.
package fair
