package wire

import (
	"net/http"
	"time"
)

// Capture is the raw bytes of one exchange and when they came.
type Capture struct{ _ struct{} }

func (x *exchange) startCapture(*http.Request, []byte)     {}
func (x *exchange) captureHead(*http.Response)             {}
func (x *exchange) captureRead(p []byte, at time.Duration) {}
func (x *exchange) finishCapture()                         {}
