package server

import (
	"log/slog"
	"strings"
)

// errorLog gets what net/http says of connections.
type errorLog struct {
	log       *slog.Logger
	addresses bool // whether those of callers are logged
}

// Write implements io.Writer. A handshake that fails is the caller's affair: of a port scan, or of a client that does not
// trust the certificate.
func (l errorLog) Write(text []byte) (int, error) {
	line := strings.TrimSuffix(string(text), "\n")
	handshake, ok := strings.CutPrefix(line, "http: TLS handshake error from ")
	if !ok {
		l.log.Warn(line)
		return len(text), nil
	}
	address, cause, _ := strings.Cut(handshake, ": ")
	attrs := []any{slog.String("cause", cause)}
	if l.addresses {
		attrs = append(attrs, slog.String("address", address))
	}
	l.log.Info("TLS handshake failed", attrs...)
	return len(text), nil
}
