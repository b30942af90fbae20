package providers

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// exactNumber gives a number as a float64 if that has its value, else as it is. The
// value of a float64 is its printed form; if an int64 or uint64 may hold the number,
// converting the float64 to it must give the same value.
func exactNumber(n json.Number) (any, error) {
	const (
		surely       = 15      // digits that a float64 always gives back
		fractionless = 1 << 52 // from here on no float64 has a fraction
	)
	text := n.String()
	if len(text) > maxNumberBytes {
		return nil, fmt.Errorf("the number is %d bytes long; at most %d are allowed: write a longer one as a text", len(text), maxNumberBytes)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, errors.New("the number is out of range")
	}
	if len(text) <= surely && !strings.ContainsAny(text, "eE") {
		return f, nil
	}
	digits, exponent := decimal(text)
	switch {
	case f == 0 && digits != "":
		return nil, errors.New("the number is too close to 0")
	case math.Abs(f) >= fractionless && exponent < 0:
		return nil, errors.New("the number is too large to have a fraction: write it as a text")
	}
	if d, e := decimal(strconv.FormatFloat(f, 'e', -1, 64)); d != digits || e != exponent {
		return n, nil
	}
	if size := math.Abs(f); size >= fractionless && size < 1<<64 {
		if d, e := decimal(strconv.FormatFloat(f, 'f', 0, 64)); d != digits || e != exponent {
			return n, nil
		}
	}
	return f, nil
}

// decimal takes a number without its sign apart: the digits between the zeros at its
// ends, "" for 0, and the power of ten of the last one.
func decimal(text string) (digits string, exponent int) {
	mantissa, power := text, ""
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, power = text[:i], text[i+1:]
	}
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(mantissa, "-"), ".")
	all := whole + fraction
	digits = strings.TrimRight(all, "0")
	exponent, _ = strconv.Atoi(power) // one that is out of range belongs to 0 alone
	exponent += len(all) - len(digits) - len(fraction)
	if digits = strings.TrimLeft(digits, "0"); digits == "" {
		return "", 0
	}
	return digits, exponent
}
