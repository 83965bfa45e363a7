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

// maxDocument is the maximum size of a data URI. All documents of a request share its 20 MiB (decision D-15).
const maxDocument = 20 << 20

// ErrDocument is wrapped by every error of [DataURI] and [DataURIFile] but those of reading a file.
var ErrDocument = errors.New("not a document that the service takes")

// extensions are the media types that cannot be detected from content.
var extensions = map[string]string{
	".avif": "image/avif", ".heic": "image/heic", ".heif": "image/heif", ".tif": "image/tiff", ".tiff": "image/tiff",
}

// DataURI encodes a document, an image or a PDF, as the data URI for DocumentValue of a physical document. mediaType is
// for example image/png; if it is "", it is detected from the content. DataURI returns [ErrDocument] for another type,
// for content of another kind than mediaType, for an empty document, and for one of more than about 15 MiB.
func DataURI(mediaType string, content io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(content, maxDocument))
	if err != nil {
		return "", fmt.Errorf("payouts: read a document: %w", err)
	}
	return dataURI(mediaType, data)
}

// DataURIFile is [DataURI] of a file. The type is detected from the content, or from the extension if the content is not
// enough, as with HEIC and TIFF. Errors of the file system contain the path, others do not.
func DataURIFile(path string) (string, error) {
	file, err := os.Open(path) //nolint:gosec // the caller chooses the file
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
	case !isDocumentType(mediaType), found == svg:
		problem = "must be an image, but not SVG, or a PDF"
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

// head is how far readers of PDF look for its signature.
const head = 1024

// sniffed detects the media type from the content; "" if it cannot.
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
			return svg
		case mediaType == "application/octet-stream":
			return ""
		}
	}
	return mediaType
}

const svg = "image/svg+xml"

// isDocumentType is the rule of the contract: image/*, but not SVG, or application/pdf (D-15, D-63).
func isDocumentType(mediaType string) bool {
	subtype, image := strings.CutPrefix(mediaType, "image/")
	if !image {
		return mediaType == "application/pdf"
	}
	return subtype != "" && !strings.HasPrefix(subtype, "svg") && !strings.HasSuffix(subtype, "xml") && !strings.ContainsFunc(subtype, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("+.-", r)
	})
}

// kindOf returns "image" or the whole type: confusing image formats does no harm.
func kindOf(mediaType string) string {
	if strings.HasPrefix(mediaType, "image/") {
		return "image"
	}
	return mediaType
}
