package wire

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

// refused settles a reply whose status is not 2xx.
func (x *exchange) refused(response *http.Response, err error) {
	r := x.reply
	r.RetryAfter = retryAfter(response.Header)
	if err != nil {
		r.End = max(r.End, x.call.Now())
		if o, text, ended := x.endedByContext(); ended {
			x.fail(o, fmt.Sprintf("HTTP %d, and then %s", r.Status, text))
			return
		}
	}
	page := x.page()
	r.Server = x.pageError(page)
	outcome := OutcomeError
	if r.Status == http.StatusTooManyRequests || r.Status == http.StatusServiceUnavailable {
		outcome = OutcomeRejected
	}
	text := fmt.Sprintf("HTTP %d from %s", r.Status, x.endpoint())
	if r.Server.Message != "" {
		text += ": " + r.Server.words()
	}
	x.fail(outcome, fmt.Sprintf("%s; %s", printable(text, textBound-len("; ")-120), x.advice(response)))
}

// page is what was read of a body that is not a reply.
func (x *exchange) page() []byte {
	if in, ok := x.in.(*wholeIntake); ok {
		return in.data
	}
	return nil
}

// pageError is the server's error object, or a snippet of whatever it sent.
func (x *exchange) pageError(page []byte) ServerError {
	e := ServerError{Message: printable(x.secrets.text(plainText(page)), 140)}
	if root, err := object(page); err == nil {
		if f := failure(root); f != nil {
			e = *f
		} else if message := root.first("message", "msg"); message != "" {
			e.Message = printable(message, textBound)
		}
	}
	e.Message = x.secrets.text(e.Message)
	return e
}

var markup = regexp.MustCompile(`(?s)<(script|style)[^>]*>.*?</(script|style)>|<[^>]*>`)

// plainText is a page without its markup; JSON stays as it is.
func plainText(page []byte) string {
	if json.Valid(page) {
		return string(page)
	}
	return markup.ReplaceAllString(string(page[:min(len(page), 8<<10)]), " ")
}

// advice says what to try for a status, in at most about 120 bytes.
func (x *exchange) advice(response *http.Response) string {
	status := response.StatusCode
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		if len(x.secrets.secrets) == 0 {
			return "no API key was sent: set one"
		}
		return "the API key that was sent is not accepted: check it"
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		return "check the URL's path, the API and the model's name"
	case status == http.StatusRequestEntityTooLarge:
		return "the prompt is larger than the server takes"
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
		return "the server sheds load: lower it" + x.waitText()
	case status/100 == 3:
		return "redirects are not followed: use the URL " + bareURL(response.Header.Get("Location"))
	case status/100 == 4:
		return "the server does not take this request: check the model's name and the extra fields"
	}
	return "see the server's log"
}

// waitText repeats the server's own wish, which beats any advice of ours.
func (x *exchange) waitText() string {
	if !x.reply.RetryAfter.Known {
		return ""
	}
	return fmt.Sprintf(", or wait %v as it asks (Retry-After)", x.reply.RetryAfter.V)
}

// retryAfter reads both forms of Retry-After (RFC 9110, section 10.2.3),
// seconds and a date, and the retry-after-ms of OpenAI and Azure. A date counts
// from the response's own Date, so that the clocks of two machines need not
// agree; without one, from this machine's. A date that has passed is 0.
func retryAfter(h http.Header) Opt[time.Duration] {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return milliseconds(Some(ms))
	}
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		return milliseconds(Some(seconds * 1000))
	}
	until, err := http.ParseTime(text)
	if err != nil {
		return Opt[time.Duration]{}
	}
	from, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		from = time.Now()
	}
	return Some(max(0, until.Sub(from)))
}

// notAReply words a 200 whose body is a page.
func (x *exchange) notAReply(kind string) string {
	if kind == "" {
		kind = "no Content-Type"
	}
	x.reply.Server = x.pageError(x.page())
	return fmt.Sprintf("HTTP %d from %s is not a reply of the %s API (%s): %s; check the URL's path, and that no login page or proxy answers",
		x.reply.Status, x.endpoint(), x.call.Protocol.Name(), printable(kind, 60), printable(x.reply.Server.Message, 80))
}
