// Package llmbench drives an LLM server with a load profile over its real
// streaming protocol, inside go test, and computes every metric the field uses.
package llmbench
