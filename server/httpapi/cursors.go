package httpapi

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/payout"
)

// pageOf returns the page of a list that a caller asks for; without a limit it is all that follows the cursor (D-59).
func pageOf(limit *int32, cursor *api.Cursor) (payout.Page, error) {
	after, err := fromCursor(cursor)
	page := payout.Page{After: after}
	if limit != nil {
		page.Limit = int(*limit)
	}
	return page, err
}

// defaultPage is how many entries a page of a list has that is never complete, if the caller does not set limit.
const defaultPage = 20

// boundedPageOf is pageOf for such a list (D-29, D-70).
func boundedPageOf(limit *int32, cursor *api.Cursor) (payout.Page, error) {
	page, err := pageOf(limit, cursor)
	if page.Limit == 0 {
		page.Limit = defaultPage
	}
	return page, err
}

// A cursor is the position after which the next page begins: microseconds and id, in base64 because it is opaque.

func toCursor(p payout.Position) *api.Cursor {
	if p == (payout.Position{}) {
		return nil
	}
	cursor := base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d.%s", p.CreatedAt.UnixMicro(), p.ID))
	return &cursor
}

func fromCursor(cursor *api.Cursor) (payout.Position, error) {
	if cursor == nil {
		return payout.Position{}, nil
	}
	plain, err := base64.RawURLEncoding.DecodeString(*cursor)
	micros, id, _ := strings.Cut(string(plain), ".")
	us, timeErr := strconv.ParseInt(micros, 10, 64)
	if err != nil || timeErr != nil || uuid.Validate(id) != nil {
		return payout.Position{}, payout.NewError(payout.CodeBadRequest,
			payout.Violation{In: "query", Field: "cursor", Reason: "must be the cursor of an earlier page"})
	}
	return payout.Position{CreatedAt: time.UnixMicro(us).UTC(), ID: id}, nil
}
