package mutants_test

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/crossborder-payouts/payouts/conformance"
)

// received are the checks of what arrives at an address of the suite. Others run without one, which is faster.
const received = "webhooks.received."

// relayPath is where a mutant receives the webhooks that it passes on.
const relayPath = "/relay/"

// stubborn follows no redirects.
var stubborn = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// deliveryMutants deliver wrongly, or show deliveries wrongly.
func deliveryMutants() []mutant {
	const create, read, list, change, retry = "createWebhookEndpoint", "getWebhookEndpoint", "listWebhookEndpoints", "updateWebhookEndpoint", "retryWebhookDelivery"
	const signature = standardwebhooks.HeaderWebhookSignature
	first := func(header string) func(int, *http.Request) {
		return func(_ int, hook *http.Request) { hook.Header.Set(header, strings.Fields(hook.Header.Get(header))[0]) }
	}
	another := func(reason string) func(r request, body map[string]any) {
		return func(_ request, body map[string]any) {
			if body["disabled_reason"] != nil {
				body["disabled_reason"] = reason
			}
		}
	}
	return []mutant{
		broken("A webhook has no signature", "webhooks.received.signature", relaying(stubborn, func(_ int, hook *http.Request) { hook.Header.Del(signature) })),
		broken("A webhook has the signature of another webhook", "webhooks.received.signature", relaying(stubborn, func(_ int, hook *http.Request) {
			hook.Header.Set(signature, "v1,MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=")
		})),
		broken("A webhook is sent with PUT", "webhooks.received.signature", relaying(stubborn, func(_ int, hook *http.Request) { hook.Method = http.MethodPut })),
		broken("A webhook is sent as text", "webhooks.received.signature", relaying(stubborn, func(_ int, hook *http.Request) { hook.Header.Set("Content-Type", "text/plain") })),
		broken("An event that is read is not the one that was sent", "webhooks.received.signature", returning("getEvent", func(_ request, body map[string]any) {
			body["created_at"] = "2020-01-02T03:04:05Z"
		})),
		broken("Only the first attempt is signed", "webhooks.received.retry", relaying(stubborn, func(attempt int, hook *http.Request) {
			if attempt > 1 {
				hook.Header.Del(signature)
			}
		})),
		broken("A redirect is followed", "webhooks.received.redirect", relaying(http.DefaultClient, func(int, *http.Request) {})),
		broken("After a rotation only one secret signs", "webhooks.received.rotation", relaying(stubborn, first(signature))),
		broken("An endpoint that is gone is shown as failing", "webhooks.received.gone", returning(read, another("FAILING"))),
		broken("A change of an endpoint that is gone answers another reason", "webhooks.received.gone", returning(change, another("FAILING"))),
		broken("The list hides that an endpoint is gone", "webhooks.received.gone", returning(list, func(r request, body map[string]any) {
			for _, e := range objects(body["items"]) {
				delete(e, "disabled_reason")
			}
		})),
		broken("An endpoint that is enabled again keeps the reason", "webhooks.received.on-request", returning(change, func(_ request, body map[string]any) {
			body["disabled_reason"] = "GONE"
		})),
		broken("A retry forgets the attempts before", "webhooks.received.on-request", returning(retry, func(_ request, body map[string]any) { body["attempts"] = []any{} })),
		broken("An attempt without an answer is shown with a status", "webhooks.received.closed", returning("listWebhookDeliveries", func(_ request, body map[string]any) {
			for _, d := range objects(body["items"]) {
				for _, a := range objects(d["attempts"]) {
					a["http_status"] = 502
				}
			}
		})),
		broken("An endpoint receives events of every type", "webhooks.received.types", asking(create, func(r request) request {
			return r.as(func(body map[string]any) { delete(body, "event_types") })
		})),
	}
}

// relaying registers the mutant itself instead of each endpoint, and passes on what arrives there, edited. Attempts of an
// endpoint are counted from 1.
func relaying(client *http.Client, edit func(attempt int, hook *http.Request)) func() fault {
	return func() fault {
		var mu sync.Mutex
		var urls []string
		attempts := map[int]int{}
		return func(op string, r request, next ask) answer {
			mu.Lock()
			if op == "createWebhookEndpoint" {
				urls = append(urls, r.text("url"))
				url := "http://" + r.Host + relayPath + strconv.Itoa(len(urls)-1)
				r = r.as(func(body map[string]any) { body["url"] = url })
			}
			i, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, relayPath))
			if err != nil {
				mu.Unlock()
				return next(r)
			}
			attempts[i]++
			url, attempt := urls[i], attempts[i]
			mu.Unlock()
			hook, err := http.NewRequestWithContext(r.Context(), r.Method, url, bytes.NewReader(r.body))
			if err != nil {
				return answer{status: http.StatusBadGateway, header: http.Header{}}
			}
			hook.Header = r.Header.Clone()
			edit(attempt, hook)
			response, err := client.Do(hook)
			if err != nil {
				panic(http.ErrAbortHandler) // as the receiver has done
			}
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			if err != nil {
				return answer{status: http.StatusBadGateway, header: http.Header{}}
			}
			return answer{response.StatusCode, response.Header, body}
		}
	}
}

// What finds the mutants of deliveries is their fault, not the relay.
func TestARelayThatChangesNothingBreaksNothing(t *testing.T) {
	t.Parallel()
	j := newJury(t)
	unchanged := mutant{fault: relaying(stubborn, func(int, *http.Request) {})}
	if failed := j.run(t, unchanged, conformance.Filter{IDs: []string{received}}); len(failed) > 0 {
		t.Errorf("%v failed", failed)
	}
}
