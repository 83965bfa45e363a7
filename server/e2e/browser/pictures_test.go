package browser_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/crossborder-payouts/payouts/server"
)

// TestPictures shows the running product, for `make pictures`.
func TestPictures(t *testing.T) {
	t.Parallel()
	if os.Getenv(PicturesVariable) == "" {
		t.Skip("make pictures sets " + PicturesVariable)
	}
	s := delivering(t)
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(receiver.Close)
	b := open(t, s.URL)
	b.look(1280, "light")
	pages := b.fill(s, receiver.URL)
	for name, path := range map[string]string{
		"landing": "/", "docs": "/docs#createTransaction", "console": pages["board"], "console-payout": pages["paid"], "console-new": pages["new"],
		"console-user": pages["user"], "console-new-user": pages["new-user"], "console-endpoint": pages["endpoint"], "console-requests": pages["requests"],
	} {
		height := int64(900)
		if name == "docs" || name == "console" { // README shows them
			height = 640
		}
		b.run(chromedp.EmulateViewport(1280, height))
		b.visit(s.URL + path)
		b.picture(name)
	}

	folder := t.TempDir()
	first, second := server.SandboxClients[0], server.SandboxClients[1]
	command := exec.CommandContext(t.Context(), "go", "run", "../../../conformance/conform", "--url", s.URL, "--report", folder,
		"--client-id", first.ID, "--client-secret", first.Secret, "--other-client-id", second.ID, "--other-client-secret", second.Secret,
		"--receiver", "127.0.0.1:0")
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	report := httptest.NewServer(http.FileServer(http.Dir(folder)))
	t.Cleanup(report.Close)
	b = open(t, report.URL)
	b.look(1280, "light")
	b.visit(report.URL + "/report.html")
	b.picture("conformance")
}
