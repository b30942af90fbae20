package screens

// What consoles are told.
const (
	textStoreWorks = "the store can be written again"
	textStoreFull  = "%v; your messages wait, and are answered once there is room"
)
