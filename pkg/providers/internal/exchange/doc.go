// Package exchange is the HTTP half of the adapters that ask model servers: the
// connection, the limits, the frames of a stream, the meaning of a refusal, and the
// body of a request. An adapter adds its translation between the room providers and
// the wire, in types of its own.
//
// It promises:
//
//   - Time and memory are bounded whatever the server does: a limit on connecting, on
//     silence and on the whole question, and a cap on the size of one answer.
//   - A question goes to the configured server and nowhere else: redirects are refused.
//   - A stream counts as complete if it ended with [DONE], or in any way after the frame
//     that the adapter calls the last. Any other end is an error of KindCut.
//   - [Client.Failure] gives errors of [providers.Error] with a kind, and without the key
//     or the credentials of the base URL.
//   - Data that a server wants to see again travels in a [Mark], which only the same
//     model of the same server opens.
//   - Pictures are read while the request is sent; a request holds none of their bytes.
//
// To write an adapter: make a [Client], bound each question with [Client.Bound], run each
// request in [Client.Once], and pass its error through [Client.Failure]:
//
//	ctx, cancel := client.Bound(ctx)
//	defer cancel()
//	err := client.Once(ctx, stream, func(ctx context.Context, x *exchange.Exchange) error {
//		req, err := http.NewRequestWithContext(ctx, http.MethodPost, client.URL("/messages"), nil)
//		if err != nil {
//			return err
//		}
//		body.Attach(req)
//		if err := x.Send(req); err != nil {
//			return err
//		}
//		if x.Frames() == nil {
//			return x.Decode("the answer", &answer)
//		}
//		return x.Stream(x.Frames().Next, addFrame)
//	})
//	return client.Failure(ctx, model, err)
package exchange
