package panel

// The sentences that the page shows.
const (
	textNotFound   = "there is nothing here under this id"
	textInternal   = "the gateway has failed at this request: its log says more"
	textNotYours   = "this is somebody else's: its creator or an owner can end it"
	textConfigured = "this schedule is of the configuration: it is removed there"
	textDecision   = "decision is allow_once or deny"
)
