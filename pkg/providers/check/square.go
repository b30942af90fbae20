package check

import "encoding/base64"

// redSquare is a picture of 32 by 32 red points, as PNG.
func redSquare() []byte {
	const encoded = "" +
		"iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAKklEQVR42mN4ICBAU8QwasGoBaMWjFowasGoBaMWjFowasGo" +
		"BaMWDBULALgcAD3G45K4AAAAAElFTkSuQmCC"
	square, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil { // of a constant
		return nil
	}
	return square
}
