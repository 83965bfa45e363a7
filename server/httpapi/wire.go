package httpapi

import (
	"strings"
	"time"

	"encoding/base64"

	"github.com/google/uuid"
	"github.com/oapi-codegen/nullable"
	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
	"github.com/crossborder-payouts/payouts/server/payout"
)

// text returns an optional string; "" if it was not sent.
func text[T ~string](p *T) string {
	if p == nil {
		return ""
	}
	return string(*p)
}

// optional is the reverse of text; the zero value is not sent.
func optional[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// nullableText and nullableOf convert the one member that may be sent as null (D-46).
func nullableText(n nullable.Nullable[string]) payout.NullableText {
	t := payout.NullableText{Sent: n.IsSpecified()}
	if v, err := n.Get(); err == nil {
		t.Text = &v
	}
	return t
}

func nullableOf(t payout.NullableText) nullable.Nullable[string] {
	switch {
	case !t.Sent:
		return nil
	case t.Text == nil:
		return nullable.NewNullNullable[string]()
	}
	return nullable.NewNullableWithValue(*t.Text)
}

// toID converts an id of the domain, which is always a UUID.
func toID[ID ~string](id ID) openapi_types.UUID { return uuid.MustParse(string(id)) }

func timestamp(t time.Time) api.Timestamp { return wire.Timestamp{Time: t} }

// optionalTimestamp leaves out a time that is zero.
func optionalTimestamp(t time.Time) *api.Timestamp {
	if t.IsZero() {
		return nil
	}
	return new(timestamp(t))
}

func major(minor int64, currency string) wire.Amount {
	return wire.AmountOf(payout.Major(minor, currency))
}

// dateText returns an optional date as YYYY-MM-DD.
func dateText(d *openapi_types.Date) string {
	if d == nil {
		return ""
	}
	return d.Format(time.DateOnly)
}

// optionalDate is the reverse of dateText.
func optionalDate(s string) *openapi_types.Date {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return nil
	}
	return &openapi_types.Date{Time: t}
}

// physical converts a document; the contract has checked that its content is a base64 data URI.
func physical(documentType, dataURI string) payout.Document {
	head, encoded, _ := strings.Cut(dataURI, ",")
	mediaType := strings.TrimSuffix(strings.TrimPrefix(head, "data:"), ";base64")
	content, _ := base64.StdEncoding.DecodeString(encoded)
	return payout.Document{Kind: payout.PhysicalDocument, Type: documentType, MediaType: mediaType, Content: content}
}

// each converts the elements of a list. It never returns nil: an empty list is [] on the wire.
func each[A, B any](all []A, convert func(A) B) []B {
	out := make([]B, len(all))
	for i, v := range all {
		out[i] = convert(v)
	}
	return out
}
