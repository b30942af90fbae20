package httpd

// The sentences that clients read.
const (
	textBody = "the body is no JSON object of this form: %v"
	textHost = "this name is not one of the gateway's: write the address under which clients reach it as http.public_url, and have " +
		"a proxy in front pass the header Host on"
	textOrigin      = "the request does not come from the gateway's own page"
	textContentType = "a write needs the header Content-Type: application/json"
	textUpload      = "an upload needs the header X-Parley-Upload: 1"
	textBearer      = "the header Authorization: Bearer TOKEN is missing, or its token is unknown, revoked or over"
	textLogin       = "nobody is logged in here, or the login is over: load the page again"
	textTooLarge    = "the body is too large"
	textStreamBody  = "a stream is read without a body"
	textStreams     = "this person has as many streams open as a person may have: close one"
	textRequests    = "this person has as many requests under way as a person may have: wait for an answer"
	textSlow        = "too many wrong codes: try again in a moment"
	textNotFound    = "there is no such thing here"
	textMethod      = "this address does not take the method"
	textInternal    = "the gateway has failed at this request: its log says more"
)
