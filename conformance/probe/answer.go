package probe

import (
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"os"
	"strings"
	"syscall"
)

// NoAnswer returns why a request got no response. Network errors may quote what a server sent, so only known ones are
// described.
func NoAnswer(err error) string {
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(err, ErrUnreachable):
		return ErrUnreachable.Error()
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, os.ErrDeadlineExceeded):
		return "no answer in time"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return closedByServer
	}
	for _, known := range networkErrors {
		if strings.Contains(err.Error(), known.holds) {
			return known.means
		}
	}
	return "no usable answer"
}

const closedByServer = "the server closed the connection without a whole answer"

var networkErrors = []struct{ holds, means string }{
	{"no such host", "there is no such host"},
	{"gave HTTP response to HTTPS client", "the server answers http, not https"},
	{"first record does not look like a TLS handshake", "the server answers http, not https"},
	{"closed idle connection", closedByServer},
	{"certificate required", "the server requires a client certificate"},
	{"remote error: tls: bad certificate", "the server does not accept the client certificate"},
	{"certificate", "the certificate of the server is not accepted"},
	{"tls: ", "no TLS connection could be made"},
	{"malformed", "the answer is not HTTP"},
	{"readLoopPeekFailLocked", "the answer is not HTTP: the server speaks first"},
	{"bad Content-Length", "the answer is not HTTP: its Content-Length is malformed"},
	{"the answer has more than", "the answer does not end"},
	{"context canceled", "the run was interrupted"},
}

// Unusable returns why a call of the generated client failed: there was no response, or its body could not be decoded.
func Unusable(err error) string {
	var transport *url.Error
	var syntax *json.SyntaxError
	var member *json.UnmarshalTypeError
	switch {
	case errors.As(err, &transport):
		return "no usable answer: " + NoAnswer(err)
	case errors.As(err, &syntax):
		return "the body of the answer is not JSON"
	case errors.As(err, &member) && member.Field != "":
		return "the body of the answer does not match the schema at /" + strings.ReplaceAll(member.Field, ".", "/")
	}
	return "the body of the answer does not match the schema"
}
