// Package sweep adds up step functions of time with a sweep line: sort the
// events of all requests, walk them once, and hand out the stretches between
// them with the exact height of every function. It knows no records: what an
// event does to the heights is its caller's business.
package sweep
