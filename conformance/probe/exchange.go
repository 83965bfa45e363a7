package probe

import (
	"net/http"
	"time"

	"github.com/crossborder-payouts/payouts/openapi/contract"
)

// Exchange is one request and what came back. It is not redacted: nothing of it may leave the process as it is.
type Exchange struct {
	OperationID string // "" where the request matches no operation
	Method      string
	Template    string // path of the operation
	URL         string // path and query as sent, without scheme and host
	Header      http.Header
	Body        []byte
	Duration    time.Duration

	Err            error // no answer: all below is empty
	Status         int
	ResponseHeader http.Header
	ResponseBody   []byte
	Violations     []contract.Violation // what of the answer breaks the contract
}
