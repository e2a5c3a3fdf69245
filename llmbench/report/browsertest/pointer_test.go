package browsertest

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// place is where in the window a share of an element's width lies, half way up.
func place(t *testing.T, ctx context.Context, selector string, share float64) (x, y float64) {
	t.Helper()
	at := evaluate[[]float64](t, ctx, fmt.Sprintf(`(() => {
		const node = document.querySelector(%q);
		node.scrollIntoView({block: "center", behavior: "instant"});
		const m = node.getScreenCTM(), b = node.viewBox.baseVal;
		const p = new DOMPoint(b.x + b.width * %g, b.height / 2).matrixTransform(m);
		return [p.x, p.y];
	})()`, selector, share))
	return at[0], at[1]
}

// point moves the mouse there.
func point(t *testing.T, ctx context.Context, selector string, share float64) {
	t.Helper()
	x, y := place(t, ctx, selector, share)
	require.NoError(t, chromedp.Do(ctx, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y)))
}

// drag presses at one share and lets go at the other.
func drag(t *testing.T, ctx context.Context, selector string, from, to float64) {
	t.Helper()
	x0, y := place(t, ctx, selector, from)
	x1, _ := place(t, ctx, selector, to)
	require.NoError(t, chromedp.Do(ctx, chromedp.DragAndDropXY(x0, y, x1, y, 4)))
}
