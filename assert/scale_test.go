package assert

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAmount(t *testing.T) {
	for _, c := range []struct {
		value float64
		unit  string
		want  string
		why   string
	}{
		{14_613, "tok/s", "14.6k tok/s", "the example of the style page"},
		{6_489, "tok/s", "6.49k tok/s", "three digits, not one decimal"},
		{20_000, "tok/s", "20.0k tok/s", "a round limit keeps its digits"},
		{769.23, "tok/s", "769 tok/s", "under a thousand there is no prefix"},
		{999.4, "tok/s", "999 tok/s", "rounds down, stays unscaled"},
		{999.7, "tok/s", "1.00k tok/s", "rounds up into the next prefix, never 1000"},
		{2_500_000, "tok/s", "2.50M tok/s", "mega"},
		{7.3e9, "tokens", "7.30G tokens", "giga, the last prefix"},
		{7.3e12, "tokens", "7300G tokens", "no prefix above giga"},
		{7.692, "req/s", "7.69 req/s", "small rates"},
		{0.001234, "req/s", "0.00123 req/s", "no exponent"},
		{16, "requests", "16 requests", "a count has no decimals"},
		{14.645, "requests", "14.6 requests", "the mean of one has"},
		{4776, "tokens", "4.78k tokens", "and a great one is scaled"},
		{44.53, "%", "44.5%", "a percentage stands without a space"},
		{100, "%", "100%", "all of it"},
		{0, "tok/s", "0 tok/s", "zero has no digits to keep"},
		{16, "", "16.0", "a plain number"},
		{150, "ms", "150ms", "metrics hold milliseconds"},
		{1030, "ms", "1.03s", "and texts show seconds"},
		{2.5, "s", "2.50s", "seconds too"},
		{-5, "ms", "-5.00ms", "a negative value is shown as it is"},
		{math.NaN(), "tok/s", "NaN tok/s", "NaN is said"},
		{math.Inf(1), "ms", "unbounded", "an infinite time"},
	} {
		require.Equal(t, c.want, amount(c.value, c.unit), c.why)
	}
}

func TestDuration(t *testing.T) {
	for _, c := range []struct {
		d    time.Duration
		want string
		why  string
	}{
		{0, "0s", "nothing"},
		{1, "1ns", "a nanosecond has no decimals"},
		{850, "850ns", "nanoseconds are whole"},
		{999, "999ns", "the last of them"},
		{250 * time.Microsecond, "250µs", "microseconds"},
		{999_600, "1.00ms", "rounds up into the next unit"},
		{5 * time.Millisecond, "5.00ms", "the example of the style page"},
		{120 * time.Millisecond, "120ms", "three digits are three digits"},
		{999_700 * time.Microsecond, "1.00s", "never 1000ms"},
		{1034 * time.Millisecond, "1.03s", "seconds"},
		{30 * time.Second, "30.0s", "a window"},
		{416 * time.Second, "416s", "seconds up to a thousand"},
		{1234 * time.Second, "20m34s", "then minutes"},
		{3*time.Hour + 5*time.Second, "3h0m5s", "then hours"},
	} {
		require.Equal(t, c.want, duration(c.d), c.why)
	}
	require.Equal(t, "15.001s", instant(15001*time.Millisecond), "instants show milliseconds")
}

func TestApart(t *testing.T) {
	for _, c := range []struct {
		observed, wanted float64
		unit, a, b       string
		why              string
	}{
		{210, 150, "ms", "210ms", "150ms", "three digits tell these apart"},
		{150.02, 150, "ms", "150.02ms", "150.00ms", "a near miss needs more of them"},
		{150.000001, 150, "ms", "150.000001ms", "150.000000ms", "a very near miss"},
		{150.0000000001, 150, "ms", "150ms", "150ms", "what floats round is no difference"},
		{24_999, 25_000, "tok/s", "24.999k tok/s", "25.000k tok/s", "scaled units too"},
		{150, 150, "ms", "150ms", "150ms", "equal values look equal"},
		{2_000_100, 2_000_000, "ms", "2.0001e+06 ms", "2e+06 ms", "spans of minutes are shown to the second, and then as they are"},
	} {
		a, b := apart(c.observed, c.wanted, c.unit)
		require.Equal(t, [2]string{c.a, c.b}, [2]string{a, b}, c.why)
	}
}

func TestShare(t *testing.T) {
	require.Equal(t, "44.5%", share(0.445))
	require.Equal(t, "0.0500%", share(0.0005))
}
