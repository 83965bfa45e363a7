package docs

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// policy lets a page load only what this service serves: no inline script or style, no other host, no frame around it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// Cache-Control of what has its digest in the path, and of everything else.
const (
	forever    = "public, max-age=31536000, immutable"
	revalidate = "no-cache"
)

// page is a text that is served, also compressed. It implements http.Handler for GET and HEAD.
type page struct {
	mediaType string
	caching   string
	plain     []byte
	zipped    []byte
	digest    string // of plain
}

func newPage(mediaType, caching string, text []byte) *page {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	// Writing to a buffer does not fail.
	_, _ = z.Write(text)
	_ = z.Close()
	return &page{mediaType, caching, text, zipped.Bytes(), digest(text)}
}

// ServeHTTP implements http.Handler.
func (p *page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", p.mediaType)
	header.Set("Content-Security-Policy", policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", p.caching)
	header.Add("Vary", "Accept-Encoding")
	body, coding := p.plain, ""
	if accepts(r, "Accept-Encoding", "gzip") {
		body, coding = p.zipped, "gzip"
		header.Set("Content-Encoding", coding)
	}
	tag := p.tag(coding)
	header.Set("ETag", tag)
	if matches(r, tag) {
		header.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // the reader may have left
	}
}

// tag is a strong ETag: another one for each media type and coding of a text.
func (p *page) tag(coding string) string {
	return `"` + digest([]byte(p.mediaType), []byte(coding), []byte(p.digest)) + `"`
}

func digest(texts ...[]byte) string {
	sum := sha256.Sum256(bytes.Join(texts, []byte{0}))
	return hex.EncodeToString(sum[:10])
}

func matches(r *http.Request, tag string) bool {
	for name := range strings.SplitSeq(strings.Join(r.Header.Values("If-None-Match"), ","), ",") {
		if name = strings.TrimPrefix(strings.TrimSpace(name), "W/"); name == tag || name == "*" {
			return true
		}
	}
	return false
}

// accepts reports whether a list header names a value and does not rule it out by q=0.
func accepts(r *http.Request, header, value string) bool {
	for item := range strings.SplitSeq(strings.Join(r.Header.Values(header), ","), ",") {
		name, parameters, _ := strings.Cut(item, ";")
		if strings.EqualFold(strings.TrimSpace(name), value) {
			return !slices.Contains([]string{"q=0", "q=0.0", "q=0.00", "q=0.000"}, strings.ReplaceAll(parameters, " ", ""))
		}
	}
	return false
}

// forReaders serves one page to browsers, which ask for text/html, and another one to programs.
type forReaders struct{ browser, program http.Handler }

// ServeHTTP implements http.Handler.
func (p forReaders) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Vary", "Accept")
	if accepts(r, "Accept", "text/html") {
		p.browser.ServeHTTP(w, r)
	} else {
		p.program.ServeHTTP(w, r)
	}
}
