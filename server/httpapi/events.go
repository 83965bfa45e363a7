package httpapi

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"github.com/crossborder-payouts/payouts/gen/api"
	gen "github.com/crossborder-payouts/payouts/gen/server"
	"github.com/crossborder-payouts/payouts/server/payout"
)

// defaultEvents is the maximum number of events of a page if the caller does not set limit.
const defaultEvents = 100

// ListEvents implements GET /events.
func (h handlers) ListEvents(ctx context.Context, r gen.ListEventsRequestObject) (gen.ListEventsResponseObject, error) {
	after, err := fromFeedCursor(r.Params.After)
	if err != nil {
		return nil, err
	}
	page := payout.FeedPage{After: after, Type: payout.EventType(text(r.Params.Type)), Limit: defaultEvents}
	if r.Params.Limit != nil {
		page.Limit = int(*r.Params.Limit)
	}
	all, next, err := h.service.Events(ctx, clientOf(ctx), page)
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	body.WriteString(`{"items":[`)
	for i, e := range all {
		if i > 0 {
			body.WriteByte(',')
		}
		body.Write(EventBody(e))
	}
	fmt.Fprintf(&body, `],"next_cursor":%q}`, toFeedCursor(next))
	return eventBytes(body.Bytes()), nil
}

// GetEvent implements GET /events/{event_id}.
func (h handlers) GetEvent(ctx context.Context, r gen.GetEventRequestObject) (gen.GetEventResponseObject, error) {
	e, err := h.service.Event(ctx, clientOf(ctx), payout.EventID(r.EventID.String()))
	if err != nil {
		return nil, err
	}
	return eventBytes(EventBody(e)), nil
}

// eventBytes is a response that is written as it is: encoding/json would write the data of events anew.
type eventBytes []byte

// VisitListEventsResponse implements gen.ListEventsResponseObject.
func (b eventBytes) VisitListEventsResponse(w http.ResponseWriter) error { return b.write(w) }

// VisitGetEventResponse implements gen.GetEventResponseObject.
func (b eventBytes) VisitGetEventResponse(w http.ResponseWriter) error { return b.write(w) }

func (b eventBytes) write(w http.ResponseWriter) error {
	w.Header().Set(echo.HeaderContentType, echo.MIMEApplicationJSON)
	w.WriteHeader(http.StatusOK)
	_, err := w.Write(b)
	return err
}

// EventBody returns an event as it is on the wire. Its data are the stored text, byte for byte, so that the result is always
// the same (D-67).
func EventBody(e payout.Event) []byte {
	at, _ := timestamp(e.CreatedAt).MarshalJSON() // never an error
	return fmt.Appendf(nil, `{"id":%q,"type":%q,"created_at":%s,"data":%s}`, e.ID, e.Type, at, e.Data)
}

// EventData returns the data of an event as it is on the wire, for payout.Config.
func EventData(d payout.EventData) ([]byte, error) {
	var out api.EventData
	if d.Transaction != nil {
		out.Transaction = new(transaction(*d.Transaction))
	}
	if d.User != nil {
		out.User = new(user(*d.User))
	}
	if d.CIPInfo != nil {
		out.CipInfo = new(cipInfo(*d.CIPInfo))
	}
	if d.FundingAccount != nil {
		out.FundingAccount, out.UserID = new(fundingAccount(*d.FundingAccount)), new(toID(d.UserID))
	}
	return json.Marshal(out)
}

// A cursor of the feed is the position and the id of an event, in base64 because it is opaque. The id shows whether the event
// is still the same after the database was restored from a backup (D-67).

func toFeedCursor(p payout.FeedPosition) string {
	id := string(p.ID)
	if p == (payout.FeedPosition{}) {
		id = uuid.Nil.String()
	}
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d.%s", p.Number, id))
}

func fromFeedCursor(cursor *api.Cursor) (payout.FeedPosition, error) {
	if cursor == nil {
		return payout.FeedPosition{}, nil
	}
	plain, err := base64.RawURLEncoding.DecodeString(*cursor)
	number, id, _ := strings.Cut(string(plain), ".")
	n, numberErr := strconv.ParseInt(number, 10, 64)
	position := payout.FeedPosition{Number: n, ID: payout.EventID(id)}
	if n == 0 {
		position = payout.FeedPosition{}
	}
	if err != nil || numberErr != nil || n < 0 || uuid.Validate(id) != nil || toFeedCursor(position) != *cursor {
		return payout.FeedPosition{}, payout.NewError(payout.CodeBadRequest,
			payout.Violation{In: "query", Field: "after", Reason: "must be the cursor of an earlier page"})
	}
	return position, nil
}
