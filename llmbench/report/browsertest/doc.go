// Package browsertest looks at the report as a reader does: in a browser. It
// holds tests only, apart from package report so that nobody else's tests
// compile a browser's protocol.
//
// They need a Chromium on the PATH and skip without one, unless
// LLMBENCH_REQUIRE_BROWSER=1 makes that a failure, as CI does. Screenshots are
// taken where they are kept: as the tests' artifacts (go test -artifacts), or in
// the folder that LLMBENCH_SCREENSHOTS names.
package browsertest
