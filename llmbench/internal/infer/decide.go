package infer

// A Decision is what a test, a change and a slack say together.
type Decision uint8

const (
	// Same is a change that is within the slack and not significant.
	Same Decision = iota
	// Small is a significant change within the slack.
	Small
	// Unclear is a change beyond the slack that noise alone could have made.
	Unclear
	// Worse is a significant change beyond the slack, for the worse.
	Worse
	// Better is a significant change beyond the slack, for the better.
	Better
)

// Decide weighs a change of a figure: worse is the change counted for the worse
// (negative is an improvement), slack the change that matters to nobody, in the
// same unit, and p the corrected P value. A gate on significance alone turns red
// on changes that matter to nobody, one on size alone on noise.
func Decide(worse, slack, p, alpha float64) Decision {
	beyond := max(worse, -worse) > slack
	switch significant := p < alpha; {
	case !beyond && significant && worse != 0:
		return Small
	case !beyond:
		return Same
	case !significant:
		return Unclear
	case worse > 0:
		return Worse
	}
	return Better
}
