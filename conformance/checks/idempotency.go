package checks

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

func idempotency() []probe.Check {
	var all []probe.Check
	for _, c := range creations {
		all = append(all, c.checks()...)
	}
	return slices.Concat(all, sameRequests(), differentRequests(), payerMembers(), idempotencyKeys(), keyScopes(), keysAfterRefusal(), replaysLater(),
		concurrentRequests())
}

// creation is an operation that creates.
type creation struct {
	operation string
	needs     probe.Need // without idempotency
	begin     func(t *probe.T) creating
}

// creating sends requests of one creation.
type creating struct {
	send func(ctx context.Context, key *string, different bool) (*http.Response, error) // different: another request of the same kind
	list func() []openapi_types.UUID                                                    // what was created so far; nil where no operation tells
}

// creations are all operations that create. They are sent with the generated client, as an empty key is a key too.
var creations = []creation{
	{"createUser", 0, func(t *probe.T) creating {
		return creating{send: func(ctx context.Context, key *string, different bool) (*http.Response, error) {
			body := t.UserRequest()
			if different {
				body.FirstName = "Chandra"
			}
			return t.Client().CreateUser(ctx, &api.CreateUserParams{XIdempotencyKey: key}, body)
		}}
	}},
	{"createFundingAccount", probe.Extensions, func(t *probe.T) creating {
		user := t.NewUser().ID
		return creating{
			send: func(ctx context.Context, key *string, different bool) (*http.Response, error) {
				body := api.FundingAccountRequest{FundingSourceType: "CARD"}
				if different {
					body.FundingSourceType = "SAVINGS"
				}
				return t.Client().CreateFundingAccount(ctx, user, &api.CreateFundingAccountParams{XIdempotencyKey: key}, body)
			},
			list: func() []openapi_types.UUID {
				r, err := t.Client().ListFundingAccountsWithResponse(t.Context(), user)
				return ids(probe.Setup(t, r, err), func(a api.FundingAccount) openapi_types.UUID { return a.ID })
			},
		}
	}},
	{"createReceiveUser", probe.Extensions, func(t *probe.T) creating {
		user := t.NewUser().ID
		return creating{
			send: func(ctx context.Context, key *string, different bool) (*http.Response, error) {
				body := probe.ReceiveUserRequest(t.Target().Facts.Destination)
				if different {
					body.FirstName = "Chandra"
				}
				return t.Client().CreateReceiveUser(ctx, user, &api.CreateReceiveUserParams{XIdempotencyKey: key}, body)
			},
			list: func() []openapi_types.UUID {
				r, err := t.Client().ListReceiveUsersWithResponse(t.Context(), user)
				return ids(probe.Setup(t, r, err), func(u api.ReceiveUser) openapi_types.UUID { return u.ID })
			},
		}
	}},
	{"createBankAccount", probe.Extensions, func(t *probe.T) creating {
		bank, user := t.Bank(t.Target().Facts.Destination), t.NewUser().ID
		receiver := t.NewReceiveUser(user, bank.Country)
		return creating{
			send: func(ctx context.Context, key *string, different bool) (*http.Response, error) {
				body := api.BankAccountRequest{BankID: bank.ID, AccountNumber: "0001", Currency: bank.ReceivingCurrency[0]}
				if different {
					body.AccountNumber = "0002"
				}
				return t.Client().CreateBankAccount(ctx, user, receiver, &api.CreateBankAccountParams{XIdempotencyKey: key}, body)
			},
			list: func() []openapi_types.UUID {
				r, err := t.Client().ListBankAccountsWithResponse(t.Context(), user, receiver)
				return ids(probe.Setup(t, r, err), func(a api.BankAccount) openapi_types.UUID { return a.ID })
			},
		}
	}},
	{"createWalletAccount", probe.Extensions, func(t *probe.T) creating {
		payer, user := t.AnyPayer(api.PayoutMethodWallet), t.NewUser().ID
		receiver := t.NewReceiveUser(user, payer.Country)
		return creating{
			send: func(ctx context.Context, key *string, different bool) (*http.Response, error) {
				body := api.WalletAccountRequest{PayerID: payer.ID, WalletNumber: "0001", Currency: payer.ReceivingCurrency}
				if different {
					body.WalletNumber = "0002"
				}
				return t.Client().CreateWalletAccount(ctx, user, receiver, &api.CreateWalletAccountParams{XIdempotencyKey: key}, body)
			},
			list: func() []openapi_types.UUID {
				r, err := t.Client().ListWalletAccountsWithResponse(t.Context(), user, receiver)
				return ids(probe.Setup(t, r, err), func(a api.WalletAccount) openapi_types.UUID { return a.ID })
			},
		}
	}},
	{"createTransaction", 0, func(t *probe.T) creating {
		s, body := t.Deposit()
		body.Note = probe.Ptr("For the first term") // the other checks of keys send none
		return creating{
			send: func(ctx context.Context, key *string, different bool) (*http.Response, error) {
				body := body
				if different {
					body.Purpose = probe.Ptr("OTHER")
				}
				return t.Client().CreateTransaction(ctx, s.UserID, &api.CreateTransactionParams{XIdempotencyKey: key}, body)
			},
			list: func() []openapi_types.UUID { return transactionIDs(t, s.UserID) },
		}
	}},
}

// try sends a request and gives whatever is answered.
func (c creating) try(ctx context.Context, key *string, different bool) (probe.Reply, error) {
	res, err := c.send(ctx, key, different)
	if err != nil {
		return probe.Reply{}, err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	return probe.Reply{Status: res.StatusCode, Header: res.Header, Body: text}, err
}

// answer sends a request that must be answered.
func (c creating) answer(t *probe.T, key string, different bool) probe.Reply {
	r, err := c.try(t.Context(), &key, different)
	if err != nil {
		t.Fatalf("%s", probe.Unusable(err))
	}
	return r
}

// first creates the resource that a check needs and is not about.
func (c creating) first(t *probe.T, key *string) probe.Reply {
	r, err := c.try(t.Context(), key, false)
	if err != nil || createdID(r) == "" {
		t.Brokenf("set-up: the first request is answered %d, want 200 with an id", r.Status)
	}
	return r
}

// createdID is the id of what a 200 answers, "" for all else.
func createdID(a probe.Answer) string {
	var body struct {
		ID string `json:"id"`
	}
	if a.StatusCode() != 200 || json.Unmarshal(a.GetBody(), &body) != nil {
		return ""
	}
	return strings.ToLower(body.ID)
}

func isReplay(h http.Header) bool { return h.Get("Idempotent-Replayed") == "true" }

const keyHeader = "header X-Idempotency-Key"

// checks are the rules that hold for each creation.
func (c creation) checks() []probe.Check {
	operation := c.operation
	check := func(id, title, fix string, run func(t *probe.T, c creating), clauses ...string) probe.Check {
		clauses = append(clauses, "D-16")
		if c.operation != "createTransaction" { // the interface document knows keys for transactions only
			clauses = []string{"D-16", "D-54"}
		}
		return probe.Check{
			ID: "idempotency." + c.operation + "." + id, Title: c.operation + ": " + title, Clauses: clauses,
			Operations: []string{c.operation}, Needs: c.needs, Fix: fix, Run: func(t *probe.T) { run(t, c.begin(t)) },
		}
	}
	all := []probe.Check{
		check("replay", "a repeat with the same key answers what was created first",
			"Look for the key before anything is created, and answer what it created.",
			func(t *probe.T, c creating) {
				key := probe.NewKey()
				first, again := c.first(t, &key), c.answer(t, key, false)
				t.Expect(createdID(again) == createdID(first),
					"the repeat is answered %d, or with another id; want 200 with the first one", again.Status)
			}, "4-note-3"),
		check("replay-header", "a repeat says Idempotent-Replayed: true, and the first answer does not",
			"Send the header Idempotent-Replayed: true with an answer that created nothing, and with no other.",
			func(t *probe.T, c creating) {
				key := probe.NewKey()
				if first := c.first(t, &key); isReplay(first.Header) {
					t.Failf("the first answer says that it is a replay")
				}
				again := c.answer(t, key, false)
				t.Expect(isReplay(again.Header), "the repeat does not say that it is a replay")
			}),
		check("reused", "the same key with a different request is refused, whichever member differs",
			"Keep the fingerprint of the whole request with its key, and answer 409 IDEMPOTENCY_KEY_REUSED where it differs.",
			func(t *probe.T, c creating) {
				key := probe.NewKey()
				c.first(t, &key)
				t.Refused(c.answer(t, key, true), nil, 409, api.ErrorCodeIdempotencyKeyReused)
				for _, r := range fullRequests(t, operation) {
					eachMemberCounts(t, operation, r)
				}
			}, "7-key-reused"),
		check("key-longest", "a key of 255 characters is accepted", "Accept keys of up to 255 characters.",
			func(t *probe.T, c creating) {
				r := c.answer(t, longKey("k", 255), false)
				t.Expect(createdID(r) != "", "answered %d, want 200", r.Status)
			}, "7-key-too-long", "8-key-length"),
		check("key-empty", "an empty key is refused",
			"Answer 400 BAD_REQUEST with a detail for the header X-Idempotency-Key where it is sent and empty.",
			func(t *probe.T, c creating) {
				t.Refused(c.answer(t, "", false), nil, 400, api.ErrorCodeBadRequest, keyHeader)
			}),
	}
	if c.operation != "createTransaction" { // which has them with more: idempotency.later.whole, idempotency.concurrent
		all = append(all, check("replay-whole", "a repeat answers every member",
			"Answer a repeat with what the key created as it is stored, complete.",
			func(t *probe.T, _ creating) { repeatsWhole(t, operation) }))
		all = append(all, check("concurrent", "requests with one key at the same time create one, which all of them answer",
			"Take the key in the same write as what is created, so that a second request waits for the first one and then answers it.",
			func(t *probe.T, c creating) {
				key, replies := probe.NewKey(), make([]probe.Reply, 8)
				t.Together(len(replies), func(ctx context.Context, i int) {
					replies[i], _ = c.try(ctx, &key, false) // no answer is one without an id
				})
				created := map[string]bool{}
				for _, r := range replies {
					if createdID(r) == "" {
						t.Failf("one of the requests is not answered with 200")
					} else if !isReplay(r.Header) { // what a replay answers is another rule
						created[createdID(r)] = true
					}
				}
				t.Expect(len(created) <= 1, "%d were created by %d requests with one key", len(created), len(replies))
			}))
	}
	if c.operation == "createUser" {
		return all // validation.createUser.parameters and users.registration.new-id hold the rest; nothing lists users
	}
	all = append(all,
		check("key-too-long", "a key of 256 characters is refused",
			"Answer 400 BAD_REQUEST with a detail for the header X-Idempotency-Key where it has more than 255 characters.",
			func(t *probe.T, c creating) {
				t.Refused(c.answer(t, longKey("k", 256), false), nil, 400, api.ErrorCodeBadRequest, keyHeader)
			}, "7-key-too-long", "8-key-length"),
		check("without-key", "without a key two equal requests create two",
			"Take no two requests for the same one unless they carry the same key.",
			func(t *probe.T, c creating) {
				first := c.first(t, nil)
				second, err := c.try(t.Context(), nil, false)
				t.Expect(err == nil && createdID(second) != "" && createdID(second) != createdID(first),
					"the second request is answered %d, or with the same id; want 200 with a new one", second.Status)
			}, "4-transactions", "D-47"),
	)
	once := check("once", "a repeat with the same key creates nothing", "Write the key and what it created together, or neither.",
		func(t *probe.T, c creating) {
			key := probe.NewKey()
			first := c.first(t, &key)
			c.answer(t, key, false)
			listed := c.list()
			t.Expect(len(listed) == 1 && listed[0].String() == createdID(first),
				"%d are listed after two requests with one key, want the first one alone", len(listed))
		}, "4-note-3")
	once.Needs |= probe.Extensions // a list is one
	return append(all, once)
}

// longKey is an unused key of so many characters, the rest of which is filled up.
func longKey(fill string, length int) string {
	key := probe.NewKey()
	return key + strings.Repeat(fill, length-len(key))
}
