// Package infer holds the tests and intervals that tell a change from noise
// when a sample is a handful of runs: exact rank tests, Holm's correction, the
// order-statistic interval of a median, and a seeded bootstrap. It knows
// nothing of metrics, and no function changes its arguments.
//
// golang.org/x/perf/benchmath is used where it is right. Its U test is not used:
// with ties and samples of unequal size it differs from enumeration, and its P
// can exceed 1.
package infer
