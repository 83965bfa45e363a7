package listen

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// certificate is a certificate in files, which are read again when they change.
type certificate struct {
	cert, key string
	log       *slog.Logger

	mu     sync.Mutex
	files  [2]os.FileInfo // as they were when they were read
	loaded *tls.Certificate
	failed string // the last failure that is logged
}

// load reads the files if they have changed.
func (c *certificate) load() error {
	var files [2]os.FileInfo
	for i, name := range []string{c.cert, c.key} {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		files[i] = info
	}
	if c.loaded != nil && same(files[0], c.files[0]) && same(files[1], c.files[1]) {
		return nil
	}
	loaded, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return fmt.Errorf("%s with the key %s: %w", c.cert, c.key, err)
	}
	c.loaded, c.files = &loaded, files
	expires, level := loaded.Leaf.NotAfter, slog.LevelInfo
	if time.Until(expires) < 0 {
		level = slog.LevelWarn
	}
	c.log.Log(context.Background(), level, "certificate", slog.Time("expires", expires), slog.Any("names", loaded.Leaf.DNSNames))
	return nil
}

// same reports whether a file is as it was. Renewal may replace it within the precision of its time.
func same(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}

// get is for [tls.Config]. While the files cannot be read or do not match, the previous certificate stays.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.load()
	switch {
	case err == nil:
		c.failed = ""
	case c.failed != err.Error():
		c.failed = err.Error()
		c.log.Warn("the certificate is not renewed", slog.String("cause", c.failed))
	}
	return c.loaded, nil
}
