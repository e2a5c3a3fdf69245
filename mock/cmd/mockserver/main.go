// Mockserver is the mock inference server as a program.
//
//	go run ./mock/cmd/mockserver -ttft 100ms -itl 20ms
//	curl -N localhost:8000/v1/chat/completions -d '{"stream":true,"messages":[{"role":"user","content":"hello"}]}'
//
// It prints its address once it listens, and at an interrupt lets the replies in
// flight end before it says what it served and how late its own writes were.
//
// A script file in YAML says more than the flags can: engines, faults,
// sequences. Each entry is one of the responders of package mock under its name
// in lower case, and its fields are those of the Go type:
//
//	mix:
//	  seed: 7
//	  shares:
//	    - weight: 9
//	      script: {ttft: 100ms, itl: 20ms, output: 100}
//	    - weight: 1
//	      script: {ttft: 100ms, faults: [{stall: {after: 3, for: 2s}}, {reset_after: 10}]}
//
// See testdata/all.yaml for every field there is.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/llmbench/go/mock"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdout); {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "mockserver:", err)
		os.Exit(1)
	}
}

// settings are the flags.
type settings struct {
	addr   string
	file   string
	grace  time.Duration
	script mock.Script
}

// parse reads the flags. Flags that a script file would silence are an error.
func parse(args []string) (s settings, err error) {
	f := flag.NewFlagSet("mockserver", flag.ContinueOnError)
	f.StringVar(&s.addr, "addr", "127.0.0.1:8000", "`address` to listen on; :8000 is all interfaces, port 0 any free one")
	f.StringVar(&s.file, "script", "", "YAML `file` that says what is answered; the flags below are then not allowed")
	f.DurationVar(&s.grace, "grace", 10*time.Second, "how long replies in flight may go on after an interrupt")
	f.DurationVar(&s.script.TTFT, "ttft", 0, "time to first token")
	f.DurationVar(&s.script.ITL, "itl", 0, "time from one token to the next")
	f.IntVar(&s.script.Output, "output", 0, "length of replies in `tokens`; 0 is what the request asks for, else 16")
	f.IntVar(&s.script.TokensPerChunk, "tokens-per-chunk", 0, "`tokens` that travel together")
	f.IntVar(&s.script.Reasoning, "reasoning", 0, "how many of the first `tokens` are thinking")
	f.StringVar(&s.script.Model, "model", "mock", "`name` of the model")
	if err := f.Parse(args); err != nil {
		return s, err
	}
	if f.NArg() > 0 {
		return s, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	if s.file != "" {
		f.Visit(func(g *flag.Flag) {
			if g.Name != "script" && g.Name != "addr" && g.Name != "grace" {
				err = fmt.Errorf("-%s does not go with -script: the file says it all", g.Name)
			}
		})
	}
	return s, err
}

// run serves until ctx is done.
func run(ctx context.Context, args []string, out io.Writer) error {
	s, err := parse(args)
	if err != nil {
		return err
	}
	var responder mock.Responder = s.script
	if s.file != "" {
		if responder, err = load(s.file); err != nil {
			return err
		}
	}
	listener, err := net.Listen("tcp", s.addr)
	if err != nil {
		return err
	}
	server, err := mock.Serve(listener, responder)
	if err != nil {
		listener.Close()
		return err
	}
	fmt.Fprintf(out, "mockserver: listening on %s, model %s\n", server.URL(), server.Model())
	<-ctx.Done()
	return shutdown(server, s.grace, out)
}

// shutdown ends the server and tells what it did.
func shutdown(server *mock.Server, grace time.Duration, out io.Writer) error {
	fmt.Fprintf(out, "mockserver: %d replies in flight may go on for %s\n", server.InFlight(), grace)
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	err := server.Shutdown(ctx)
	tokens := 0
	all := server.Requests()
	for _, x := range all {
		tokens += x.Tokens
	}
	late := server.Lateness()
	fmt.Fprintf(out, "mockserver: %d requests, %d tokens; own lateness p50 %s, p99 %s, max %s\n", len(all), tokens, late.P50, late.P99, late.Max)
	return err
}
