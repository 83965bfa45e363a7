package client_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/client"
)

// contents are the beginnings of documents.
var contents = map[string]string{
	"png": "\x89PNG\r\n\x1a\n....", "jpeg": "\xff\xd8\xff\xe0....", "gif": "GIF89a....", "webp": "RIFF\x00\x00\x00\x00WEBPVP8 ",
	"pdf": "%PDF-1.7 ....", "tiff": "II*\x00....", "svg": "<?xml version=\"1.0\"?>\n<!-- a scan -->\n<svg/>", "bare svg": " <svg/>",
	"late pdf": "\r\n%PDF-1.4\n", "binary pdf": "\x00\x01%PDF-1.4", "pdf with a mark": "\xef\xbb\xbf%PDF-1.4", "text": "%PDS", "mp4": "\x00\x00\x00\x18ftypheic\x00\x00\x00\x00heicmp41",
	"unknown": "\x00\x00\x00\x18\x01\x02", "html": "<!DOCTYPE html>", "zip": "PK\x03\x04....",
}

func TestDataURI(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ mediaType, content, want string }{
		{"image/png", "png", "image/png"}, {"", "png", "image/png"}, {"", "jpeg", "image/jpeg"}, {"", "gif", "image/gif"},
		{"", "webp", "image/webp"}, {"", "pdf", "application/pdf"}, {"application/pdf", "pdf", "application/pdf"}, {"", "tiff", "image/tiff"},
		{"image/heic", "unknown", "image/heic"}, {"IMAGE/PNG", "png", "image/png"}, {"image/jpg", "jpeg", "image/jpg"},
		{"", "late pdf", "application/pdf"}, {"", "binary pdf", "application/pdf"},
		{"application/pdf", "pdf with a mark", "application/pdf"}, {"image/heic", "mp4", "image/heic"},
	} {
		content := contents[c.content]
		got, err := client.DataURI(c.mediaType, strings.NewReader(content))
		if want := "data:" + c.want + ";base64," + base64.StdEncoding.EncodeToString([]byte(content)); err != nil || got != want {
			t.Errorf("%q of %s: %s, %v", c.mediaType, c.content, got, err)
		}
	}
}

func TestInvalidDocuments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ mediaType, content string }{
		{"", "html"}, {"", "zip"}, {"", "unknown"}, {"image/png", "html"}, {"image/png", "pdf"}, {"application/pdf", "png"},
		{"text/html", "html"}, {"application/zip", "zip"}, {"application/json", "unknown"}, {"image/", "png"},
		{"image/png;base64,AAAA", "png"}, {"image/png\r\n", "png"}, {"image/png", "empty"}, {"", "empty"}, {"application/pdf", "text"},
		{"image/svg+xml", "late pdf"}, {"application/pdf", "svg"}, {"", "mp4"},
		{"", "svg"}, {"image/svg+xml", "bare svg"}, {"image/png", "svg"}, {"image/png", "bare svg"}, {"image/svg+xml", "png"},
	} {
		if got, err := client.DataURI(c.mediaType, strings.NewReader(contents[c.content])); !errors.Is(err, client.ErrDocument) || got != "" {
			t.Errorf("%q of %s: %.40s, %v", c.mediaType, c.content, got, err)
		}
	}
}

func TestLargestDocument(t *testing.T) {
	t.Parallel()
	const most = (20<<20 - len("data:application/pdf;base64,")) / 4 * 3
	pdf := append([]byte(contents["pdf"]), make([]byte, most)...)
	if got, err := client.DataURI("", bytes.NewReader(pdf[:most])); err != nil || len(got) > 20<<20 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if _, err := client.DataURI("", bytes.NewReader(pdf[:most+1])); !errors.Is(err, client.ErrDocument) {
		t.Errorf("one byte more: %v", err)
	}
	read := 0
	if _, err := client.DataURI("image/png", io.MultiReader(strings.NewReader(contents["png"]), endless{&read})); !errors.Is(err, client.ErrDocument) || read > 64<<20 {
		t.Errorf("an endless reader: %v after %d bytes", err, read)
	}
}

func TestDataURIFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, c := range []struct{ name, content, want string }{
		{"passport.png", "png", "image/png"}, {"passport.JPG", "jpeg", "image/jpeg"}, {"passport", "pdf", "application/pdf"},
		{"passport.pdf", "png", "image/png"}, {"passport.HEIC", "unknown", "image/heic"}, {"passport.tif", "tiff", "image/tiff"},
		{"passport.bin", "unknown", ""}, {"page.png", "html", ""}, {"page.heic", "zip", ""}, {"empty.png", "empty", ""},
	} {
		path := filepath.Join(dir, c.name)
		if err := os.WriteFile(path, []byte(contents[c.content]), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := client.DataURIFile(path)
		if c.want == "" && !errors.Is(err, client.ErrDocument) || c.want != "" && !strings.HasPrefix(got, "data:"+c.want+";base64,") {
			t.Errorf("%s: %.40s, %v", c.name, got, err)
		}
	}
	if _, err := client.DataURIFile(filepath.Join(dir, "missing.png")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := client.DataURI("", failing{errors.New("worn out")}); err == nil || errors.Is(err, client.ErrDocument) {
		t.Errorf("a reader that fails: %v", err)
	}
}
