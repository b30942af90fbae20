// Package sandbox runs programs that nobody here wrote, so that they reach the
// folders they were given and nothing else.
package sandbox
