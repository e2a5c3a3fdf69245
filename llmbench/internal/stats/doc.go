// Package stats holds the arithmetic of samples: sorting, moments, quantiles
// of plain and of weighted samples, and what a quantile of n samples can carry.
// It knows nothing of requests or metrics.
package stats
