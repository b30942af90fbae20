package fakeslack

func (c *call) startStream() (answer, error)  { return nil, no("unknown_method", "") }
func (c *call) appendStream() (answer, error) { return nil, no("unknown_method", "") }
func (c *call) stopStream() (answer, error)   { return nil, no("unknown_method", "") }
