package probe

import (
	"net/http"
	"time"

	"github.com/crossborder-payouts/payouts/openapi/contract"
)

// Exchange is a request and its response. It is not redacted and must not leave the process.
type Exchange struct {
	OperationID string // "" where the request matches no operation
	Method      string
	Template    string // path of the operation
	URL         string // path and query as sent, without scheme and host
	Header      http.Header
	Body        []byte
	Duration    time.Duration

	Err            error // no response: the fields below are empty
	Status         int
	ResponseHeader http.Header
	ResponseBody   []byte
	Violations     []contract.Violation // of the contract in the response
}
