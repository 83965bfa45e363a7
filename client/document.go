package client

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// maxDocument bounds a data URI. A whole request body has at most 20 MiB (decision D-15), so that this is the most that
// one document can have; several share it.
const maxDocument = 20 << 20

// ErrDocument is in every error of [DataURI] and [DataURIFile] that is about the document, not about reading it.
var ErrDocument = errors.New("not a document that the service takes")

// extensions are the media types that content alone does not tell.
var extensions = map[string]string{
	".avif": "image/avif", ".heic": "image/heic", ".heif": "image/heif", ".tif": "image/tiff", ".tiff": "image/tiff",
}

// DataURI gives the copy of a document as the data URI that DocumentValue of a physical document needs: an image or a
// PDF. mediaType is such as image/png; "" has the content tell. It returns [ErrDocument] for another type, for content
// that is of another kind than mediaType says, for an empty document, and for one of more than about 15 MiB.
func DataURI(mediaType string, content io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(content, maxDocument))
	if err != nil {
		return "", fmt.Errorf("payouts: read a document: %w", err)
	}
	return dataURI(mediaType, data)
}

// DataURIFile is [DataURI] of a file, whose content tells the type; its extension does where the content cannot, as
// with HEIC and TIFF. Errors of the file system hold the path, others do not.
func DataURIFile(path string) (string, error) {
	file, err := os.Open(path) //nolint:gosec // the caller says which
	if err != nil {
		return "", fmt.Errorf("payouts: read a document: %w", err)
	}
	defer file.Close() //nolint:errcheck // it was read
	data, err := io.ReadAll(io.LimitReader(file, maxDocument))
	if err != nil {
		return "", fmt.Errorf("payouts: read a document: %w", err)
	}
	mediaType := ""
	if sniffed(data) == "" {
		mediaType = extensions[strings.ToLower(filepath.Ext(path))]
	}
	return dataURI(mediaType, data)
}

func dataURI(mediaType string, data []byte) (string, error) {
	found := sniffed(data)
	mediaType = strings.ToLower(mediaType)
	if mediaType == "" {
		mediaType = found
	}
	prefix := "data:" + mediaType + ";base64,"
	problem := ""
	switch {
	case len(data) == 0:
		problem = "is empty"
	case !isDocumentType(mediaType):
		problem = "must be an image or a PDF"
	case found != "" && kindOf(found) != kindOf(mediaType):
		problem = "must be what its media type says"
	case len(prefix)+base64.StdEncoding.EncodedLen(len(data)) > maxDocument:
		problem = fmt.Sprintf("must have at most %d MiB when written in base64", maxDocument>>20)
	}
	if problem != "" {
		return "", fmt.Errorf("payouts: %w: it %s", ErrDocument, problem)
	}
	out := make([]byte, 0, len(prefix)+base64.StdEncoding.EncodedLen(len(data)))
	return string(base64.StdEncoding.AppendEncode(append(out, prefix...), data)), nil
}

// head is where the mark of a document is that does not begin with it: as far as readers of PDF look for it.
const head = 1024

// sniffed gives the media type that the content shows, "" if it shows none that can be relied on.
func sniffed(data []byte) string {
	if bytes.HasPrefix(data, []byte("II*\x00")) || bytes.HasPrefix(data, []byte("MM\x00*")) {
		return "image/tiff" // which net/http does not know
	}
	mediaType, _, _ := strings.Cut(http.DetectContentType(data), ";")
	switch start := data[:min(len(data), head)]; mediaType {
	case "video/mp4":
		return "" // its container is that of HEIF too
	case "application/octet-stream", "text/plain", "text/xml":
		switch {
		case bytes.Contains(start, []byte("%PDF-")):
			return "application/pdf"
		case bytes.Contains(start, []byte("<svg")):
			return "image/svg+xml"
		case mediaType == "application/octet-stream":
			return ""
		}
	}
	return mediaType
}

// isDocumentType is the rule of the contract: image/* or application/pdf.
func isDocumentType(mediaType string) bool {
	subtype, image := strings.CutPrefix(mediaType, "image/")
	if !image {
		return mediaType == "application/pdf"
	}
	return subtype != "" && !strings.ContainsFunc(subtype, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("+.-", r)
	})
}

// kindOf is image, or the whole type: one image format for another is a slip that does no harm.
func kindOf(mediaType string) string {
	if strings.HasPrefix(mediaType, "image/") {
		return "image"
	}
	return mediaType
}
