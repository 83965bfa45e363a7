// Receiver is the program of a client that receives webhooks, with nothing but the SDK. It prints a line of JSON for each
// request: the event, or why it is refused.
package main

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/crossborder-payouts/payouts/client"
)

// line is what is printed of a request.
type line struct {
	Ready    bool     `json:"ready,omitempty"`
	Refused  string   `json:"refused,omitempty"`
	ID       string   `json:"id,omitempty"`
	Type     string   `json:"type,omitempty"`
	Resource string   `json:"resource,omitempty"`
	Status   string   `json:"status,omitempty"`
	Tags     []string `json:"tags,omitempty"` // of a user, with their statuses
}

// main serves at an address with a certificate, its key and the secret of an endpoint.
func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: WEBHOOK_SECRET=whsec_... receiver ADDRESS CERTIFICATE KEY")
	}
	listener, err := net.Listen("tcp", os.Args[1]) //nolint:noctx // it ends with the program
	if err != nil {
		log.Fatal(err)
	}
	printed := make(chan line)
	go func() { printed <- line{Ready: true} }()
	go func() {
		for each := range printed {
			if err := json.NewEncoder(os.Stdout).Encode(each); err != nil {
				log.Fatal(err)
			}
		}
	}()
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: handler(os.Getenv("WEBHOOK_SECRET"), printed)}
	log.Fatal(server.ServeTLS(listener, os.Args[2], os.Args[3]))
}

// handler answers 200 for an event that the service has signed.
func handler(secret string, printed chan<- line) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			return
		}
		event, err := client.VerifyWebhook(r.Header, body, secret)
		if err != nil {
			if errors.Is(err, client.ErrWebhookSignature) {
				w.WriteHeader(http.StatusBadRequest)
			} else {
				w.WriteHeader(http.StatusInternalServerError)
			}
			printed <- line{Refused: err.Error()}
			return
		}
		got := line{ID: event.ID.String(), Type: string(event.Type)}
		switch data := event.Data; {
		case data.Transaction != nil:
			got.Resource, got.Status = data.Transaction.ID.String(), string(data.Transaction.Status)
		case data.User != nil:
			got.Resource = data.User.ID.String()
			if data.CipInfo != nil {
				got.Status = string(data.CipInfo.KycStatus)
				for tag, status := range data.CipInfo.CipInfo {
					got.Tags = append(got.Tags, tag+"="+string(status))
				}
				slices.Sort(got.Tags)
			}
		case data.FundingAccount != nil:
			got.Resource, got.Status = data.FundingAccount.ID.String(), string(data.FundingAccount.Status)
		}
		printed <- got
	})
}
