package browser_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// axeFile is installed by `make axe`.
const axeFile = "../../../.tmp/axe/node_modules/axe-core/axe.min.js"

var (
	axe     string          // the script
	browser context.Context // of chromedp; each test opens a tab in it
)

// TestMain prints a warning and runs nothing if Chromium or axe-core is missing; with CI=true it fails.
func TestMain(m *testing.M) {
	program, err := chromium()
	if err == nil {
		var text []byte
		text, err = os.ReadFile(axeFile)
		axe = string(text)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "\n*** THE DOCUMENTATION IS NOT TESTED IN A BROWSER: install chromium and run make axe (%v) ***\n\n", err)
		if os.Getenv("CI") == "true" {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(run(m, program))
}

func run(m *testing.M, program string) int {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.WSURLReadTimeout(2*time.Minute)) // it starts slowly beside other tests
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	defer cancel()
	first, closeBrowser := chromedp.NewContext(allocator)
	defer closeBrowser()
	browser = first //nolint:fatcontext // set once
	if err := chromedp.Run(browser); err != nil {
		fmt.Fprintln(os.Stderr, "start Chromium:", err)
		return 1
	}
	return m.Run()
}

func chromium() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no chromium")
}
