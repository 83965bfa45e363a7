package browser_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// tab is a tab of the browser. When the test ends, it fails if a page logged an error, broke its
// Content-Security-Policy, or asked another host.
type tab struct {
	t    *testing.T
	ctx  context.Context //nolint:containedctx // chromedp keeps the tab in it
	host string
	mu   sync.Mutex
	seen []string
}

func open(t *testing.T, base string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	ctx, stop := context.WithTimeout(ctx, 5*time.Minute)
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	b := &tab{t: t, ctx: ctx, host: u.Host}
	chromedp.ListenTarget(ctx, b.listen)
	b.run(network.Enable(), log.Enable(), runtime.Enable(), emulation.SetFocusEmulationEnabled(true)) // tabs share one window focus
	t.Cleanup(func() {
		stop()
		cancel()
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, complaint := range b.seen {
			t.Error(complaint)
		}
	})
	return b
}

func (b *tab) listen(event any) {
	var complaint string
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if u, err := url.Parse(e.Request.URL); err != nil || u.Host != b.host && u.Scheme != "data" {
			complaint = "asks " + e.Request.URL
		}
	case *log.EventEntryAdded:
		// The browser also logs each answer that is no success, which pages ask for on purpose.
		refused := e.Entry.Source == log.SourceNetwork && strings.Contains(e.Entry.Text, "the server responded with a status of 4")
		if e.Entry.Level == log.LevelError && !refused {
			complaint = fmt.Sprintf("logs %s: %s", e.Entry.Source, e.Entry.Text)
		}
	case *runtime.EventExceptionThrown:
		complaint = "throws " + e.ExceptionDetails.Error()
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning {
			complaint = "writes to the console"
			for _, argument := range e.Args {
				complaint += " " + string(argument.Value)
			}
		}
	}
	if complaint != "" {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.seen = append(b.seen, complaint)
	}
}

func (b *tab) run(actions ...chromedp.Action) {
	b.t.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// look sets the width of the window, and light or dark colours.
func (b *tab) look(width int64, scheme string) {
	b.t.Helper()
	b.run(chromedp.EmulateViewport(width, 900),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
}

// visit loads a page and waits for its script.
func (b *tab) visit(address string) {
	b.t.Helper()
	b.run(chromedp.Navigate(address), chromedp.WaitReady("body"))
}

// eval evaluates an expression, which may be a promise.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	var v T
	b.run(chromedp.Evaluate(expression, &v, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	return v
}

// PicturesVariable names a folder that receives a picture of each page.
const PicturesVariable = "PAYOUTD_TEST_PICTURES"

// picture writes what the tab shows, if PicturesVariable is set.
func (b *tab) picture(name string) {
	b.t.Helper()
	folder := os.Getenv(PicturesVariable)
	if folder == "" {
		return
	}
	var png []byte
	b.run(chromedp.CaptureScreenshot(&png))
	if err := os.WriteFile(filepath.Join(folder, name+".png"), png, 0o600); err != nil {
		b.t.Fatal(err)
	}
}
