package browsertest

import (
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/llmbench/report"
)

// browser is one Chromium for all tests.
func browser(t *testing.T) context.Context {
	t.Helper()
	path := chromium()
	if path == "" {
		if os.Getenv("LLMBENCH_REQUIRE_BROWSER") == "1" {
			t.Fatal("no Chromium on the PATH, and LLMBENCH_REQUIRE_BROWSER=1")
		}
		t.Skip("no Chromium on the PATH: install Debian's chromium to look at the report in a browser")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.Flag("disable-gpu", true))
	allocator, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Do(ctx), "the browser starts; its life is this context's")
	return within(t, ctx)
}

// within bounds what a test waits for the browser: a minute on a quiet machine,
// more beside other tests.
func within(t *testing.T, ctx context.Context) context.Context {
	ctx, late := context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(late)
	return ctx
}

func chromium() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// complaints are what the browser said while a page was open: console lines,
// exceptions, and requests for anything but the page itself.
type complaints struct {
	mu  sync.Mutex
	all []string
}

func (c *complaints) add(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, text)
}

func (c *complaints) listen(ctx context.Context, url string) error {
	return chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *cdpruntime.EventConsoleAPICalled:
			c.add("console: " + string(e.Type))
		case *cdpruntime.EventExceptionThrown:
			c.add("exception: " + e.ExceptionDetails.Text)
		case *network.EventRequestWillBeSent:
			if e.Request.URL != url && e.Request.URL != "data:," {
				c.add("request: " + e.Request.URL)
			}
		case *network.EventLoadingFailed:
			c.add("blocked: " + e.ErrorText)
		}
	})
}

// written writes the result's page to disk and returns its address.
func written(t *testing.T, r *llmbench.Result) string {
	t.Helper()
	return onDisk(t, func(w io.Writer) error { return report.Write(w, r) })
}

func onDisk(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, write(&out))
	path := filepath.Join(t.TempDir(), "report.html")
	require.NoError(t, os.WriteFile(path, out.Bytes(), 0o644))
	return "file://" + path
}

// A look is how a page is looked at.
type look struct {
	name          string
	width, height int64
	dark, script  bool
}

// open loads the page and fails on anything the browser complains of.
func open(t *testing.T, ctx context.Context, url string, l look) {
	t.Helper()
	var said complaints
	require.NoError(t, said.listen(ctx, url))
	theme := "light"
	if l.dark {
		theme = "dark"
	}
	require.NoError(t, chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		for _, err := range []error{
			command(ctx, target, network.Enable, network.EnableParams{}),
			command(ctx, target, cdpruntime.Enable, cdp.Empty{}),
			command(ctx, target, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
				Width: l.width, Height: l.height, DeviceScaleFactor: 1, Mobile: l.width < 500}),
			command(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}}),
			command(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !l.script}),
		} {
			if err != nil {
				return err
			}
		}
		return nil
	}), chromedp.Navigate(url)))
	said.mu.Lock()
	defer said.mu.Unlock()
	require.Empty(t, said.all)
}

// command sends one command of the browser's protocol.
func command[P, R any](ctx context.Context, target *chromedp.Target, c cdp.Command[P, R], params P) error {
	_, err := cdp.Call(ctx, target, c, params)
	return err
}

// kept reports whether somebody looks at the pictures. The browser paints a page
// in software, all of its length: pictures for nobody were 20 of the 30 s that
// TestPagesInABrowser took on two virtual cores.
func kept() bool {
	return os.Getenv("LLMBENCH_SCREENSHOTS") != "" || flag.Lookup("test.artifacts").Value.String() == "true"
}

// screenshot keeps a picture of the whole page.
func screenshot(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	if kept() {
		png, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
		require.NoError(t, err)
		keep(t, name, png)
	}
}

// picture wants an element that can be seen, and keeps a picture of it.
func picture(t *testing.T, ctx context.Context, selector, name string) {
	t.Helper()
	element := chromedp.CSS(selector)
	require.NoError(t, chromedp.Do(ctx, chromedp.WaitVisible(element)), selector)
	if kept() {
		png, err := chromedp.Run(ctx, chromedp.Screenshot(element))
		require.NoError(t, err)
		keep(t, name, png)
	}
}

func keep(t *testing.T, name string, png []byte) {
	t.Helper()
	folder := os.Getenv("LLMBENCH_SCREENSHOTS")
	if folder == "" {
		folder = t.ArtifactDir()
	}
	require.NoError(t, os.MkdirAll(folder, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, name+".png"), png, 0o644))
}

// evaluate runs a script in the page; T is what its value is read as.
func evaluate[T any](t *testing.T, ctx context.Context, script string) T {
	t.Helper()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](script))
	require.NoError(t, err)
	return value
}
