//go:build !race

package e2e_test

// raceFlags build the gateway as the tests are built.
const raceFlags = "-race=false"
