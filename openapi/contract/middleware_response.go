package contract

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
)

// violationsHeader has the violations of a response; see [Mark].
const violationsHeader = "X-Contract-Violations"

// maxMark is the maximum length of that header in bytes.
const maxMark = 1000

// heldResponse keeps a response until it was judged, or is released: it is longer than the limit, or only reported. The
// rest of a released response is not held back.
type heldResponse struct {
	http.ResponseWriter
	middleware *middleware
	request    *http.Request
	operation  *Operation
	found      *Finding
	holds      int64 // bytes of the memory

	header   http.Header // until it is released
	status   int         // 0 before it is known
	sent     http.Header // the header when the status became known
	body     []byte      // nil once it is too long
	tooLong  string      // for the finding
	released bool
	hijacked bool
}

// Header implements [http.ResponseWriter].
func (h *heldResponse) Header() http.Header {
	if h.released {
		return h.ResponseWriter.Header()
	}
	return h.header
}

// WriteHeader implements [http.ResponseWriter].
func (h *heldResponse) WriteHeader(status int) {
	switch {
	case h.status != 0:
		return
	case status < 200 && status != http.StatusSwitchingProtocols:
		if h.released {
			h.ResponseWriter.WriteHeader(status)
			return
		}
		before := h.ResponseWriter.Header().Clone()
		replaceAll(h.ResponseWriter.Header(), h.header)
		h.ResponseWriter.WriteHeader(status)
		replaceAll(h.ResponseWriter.Header(), before)
		return
	}
	h.status, h.sent = status, h.Header().Clone()
	if h.released {
		h.ResponseWriter.WriteHeader(status)
	}
}

// Write implements [http.ResponseWriter].
func (h *heldResponse) Write(text []byte) (int, error) {
	h.WriteHeader(http.StatusOK) // unless it is known already
	if h.tooLong != "" {
		return h.ResponseWriter.Write(text)
	}
	switch {
	case len(h.body)+len(text) > h.middleware.responseLimit:
		h.tooLong = fmt.Sprintf("the body has more than %d bytes", h.middleware.responseLimit)
	case !h.middleware.memory.Try(int64(len(text))):
		h.tooLong = "too many bodies are held in memory"
	default:
		h.holds += int64(len(text))
		h.body = append(h.body, text...)
		if !h.released {
			return len(text), nil
		}
		return h.ResponseWriter.Write(text)
	}
	if err := h.release(); err != nil {
		return 0, err
	}
	h.body = nil
	return h.ResponseWriter.Write(text)
}

// free returns the memory of the body.
func (h *heldResponse) free() { h.middleware.memory.Free(h.holds) }

// Flush implements [http.Flusher]. A response that is held back is not flushed.
func (h *heldResponse) Flush() {
	if h.released {
		_ = http.NewResponseController(h.ResponseWriter).Flush() // a writer that cannot has nothing to flush
	}
}

// Hijack implements [http.Hijacker].
func (h *heldResponse) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	h.hijacked = true
	return http.NewResponseController(h.ResponseWriter).Hijack()
}

// Unwrap is for [http.ResponseController].
func (h *heldResponse) Unwrap() http.ResponseWriter { return h.ResponseWriter }

// release sends what was held back; what follows is not held back.
func (h *heldResponse) release() error {
	if h.released {
		return nil
	}
	h.released = true
	to := h.ResponseWriter.Header()
	replaceAll(to, h.sent)
	h.ResponseWriter.WriteHeader(h.status)
	_, err := h.ResponseWriter.Write(h.body)
	for name, values := range h.header {
		if _, ok := h.sent[name]; !ok {
			to[name] = values // a trailer
		}
	}
	return err
}

func replaceAll(into, with http.Header) {
	clear(into)
	maps.Copy(into, with)
}

// finish judges a whole response, and does what the mode says.
func (h *heldResponse) finish() {
	if h.hijacked {
		h.found.NotJudged = "the connection was taken over"
		return
	}
	h.WriteHeader(http.StatusOK) // unless it is known already
	text, reason := h.text()
	if reason != "" {
		h.found.NotJudged = reason
		_ = h.release() // fails if the client left, as does the next
		return
	}
	if h.released && h.sent.Get("Content-Length") != "" {
		h.Flush() // the caller need not wait for the judgement
	}
	h.found.Response = h.operation.CheckResponse(h.status, h.sent, text, h.request.Method == http.MethodHead)
	if h.released {
		return
	}
	h.sent.Del(violationsHeader) // of others
	h.header.Del(violationsHeader)
	if len(h.found.Response) > 0 {
		if h.middleware.responses == Refuse {
			kept := http.Header{}
			for _, name := range []string{"RateLimit", "RateLimit-Policy"} { // true of whatever answer (D-28)
				if value := h.sent.Get(name); value != "" {
					kept.Set(name, value)
				}
			}
			h.middleware.contract.WriteError(h.ResponseWriter, withOperation(h.request, h.operation),
				&Error{Status: http.StatusBadGateway, Header: kept}, h.middleware.idOf(h.sent))
			return
		}
		h.sent.Set(violationsHeader, mark(h.found.Response))
	}
	_ = h.release()
}

// text returns the decoded body, or why it cannot be judged.
func (h *heldResponse) text() (text []byte, notJudged string) {
	if h.tooLong != "" {
		return nil, h.tooLong
	}
	if h.request.Method == http.MethodHead {
		return nil, "" // net/http does not send it
	}
	encoding := strings.ToLower(strings.Join(h.sent.Values("Content-Encoding"), ","))
	if encoding == "" || encoding == "identity" || len(h.body) == 0 {
		return h.body, ""
	}
	decoded, err := decompressed(encoding, h.body)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return nil, "the content encoding is not supported"
	case err != nil:
		return nil, "the content encoding is broken"
	}
	text, err = io.ReadAll(io.LimitReader(decoded, int64(h.middleware.responseLimit)+1))
	switch {
	case err != nil:
		return nil, "the content encoding is broken"
	case len(text) > h.middleware.responseLimit:
		return nil, fmt.Sprintf("the decoded body has more than %d bytes", h.middleware.responseLimit)
	}
	return text, ""
}

func decompressed(encoding string, body []byte) (io.Reader, error) {
	switch encoding {
	case "gzip", "x-gzip":
		return gzip.NewReader(bytes.NewReader(body))
	case "deflate":
		if r, err := zlib.NewReader(bytes.NewReader(body)); err == nil {
			return r, nil
		}
		return flate.NewReader(bytes.NewReader(body)), nil // as some servers send it, without the header of zlib
	}
	return nil, errors.ErrUnsupported
}

// mark returns violations as a value of a header.
func mark(list []Violation) string {
	var b strings.Builder
	for i, v := range list {
		next := fmt.Sprintf("%s %+q %s", v.In, v.Field, v.Reason) // quoted to ASCII: a field may be a name that the service made up
		if i > 0 {
			next = "; " + next
		}
		if b.Len()+len(next) > maxMark {
			fmt.Fprintf(&b, "; and %d more", len(list)-i)
			break
		}
		b.WriteString(next)
	}
	return b.String()
}
