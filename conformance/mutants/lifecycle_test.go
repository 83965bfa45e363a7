package mutants_test

import (
	"math/big"
	"net/http"
	"slices"
	"time"
)

func lifecycleMutants() []mutant {
	return slices.Concat(moveMutants(), cancelMutants(), lifecycleRuleMutants())
}

// moving changes the answers about a move, given the transaction as it was before.
func moving(edit func(r request, next ask, before map[string]any, a answer) answer) func() fault {
	return stateless(func(op string, r request, next ask) answer {
		if op != "setTransactionStatus" {
			return next(r)
		}
		before, _ := r.read(next, "/users/"+r.user()+"/transactions/"+r.segment(4)).(map[string]any)
		return edit(r, next, before, next(r))
	})
}

// canceling changes the answers about a cancellation, given the transaction as it was before.
func canceling(edit func(before map[string]any, a answer) answer) func() fault {
	return stateless(func(op string, r request, next ask) answer {
		if op != "cancelTransaction" {
			return next(r)
		}
		before, _ := r.read(next, "/users/"+r.user()+"/transactions/"+r.segment(3)).(map[string]any)
		return edit(before, next(r))
	})
}

// pretended is the answer to a refused move, as if it had been made.
func pretended(before map[string]any, a answer, status, delivery string) answer {
	before["status"], before["delivery_status"] = status, delivery
	return a.found(before)
}

func moveMutants() []mutant {
	return []mutant{
		broken("A completed transaction can still fail", "lifecycle.moves.forbidden", moving(func(r request, _ ask, before map[string]any, a answer) answer {
			if a.status == 422 && before["status"] == "COMPLETED" && r.member("status") == "FAILED" {
				return pretended(before, a, "FAILED", "FAILED")
			}
			return a
		})),
		broken("What a move sets as delivery status may be sent otherwise", "lifecycle.moves.forbidden", moving(func(r request, next ask, before map[string]any, a answer) answer {
			if a.status == 422 && r.member("delivery_status") == "PENDING" && r.member("status") == "COMPLETED" {
				return next(r.set(nil, "delivery_status"))
			}
			return a
		})),
		broken("A move that does not exist has the code of a cancellation", "lifecycle.moves.forbidden",
			answering("setTransactionStatus", 422, func(_ request, a answer) answer {
				if a.code() == "TRANSITION_NOT_ALLOWED" {
					return a.failure(422, "TRANSACTION_NOT_CANCELABLE")
				}
				return a
			})),
		broken("The reason is lost after the answer", "lifecycle.moves.allowed",
			returning("getTransaction", func(_ request, v map[string]any) { delete(v, "status_reason") })),
		broken("updated_at is always created_at", "lifecycle.moves.allowed",
			returning("setTransactionStatus", func(_ request, v map[string]any) { v["updated_at"] = v["created_at"] })),
		broken("The delivery of what is returned remains DELIVERED", "lifecycle.moves.allowed",
			returning("setTransactionStatus", func(_ request, v map[string]any) {
				if v["status"] == "RETURNED" {
					v["delivery_status"] = "DELIVERED"
				}
			})),
		broken("The status that a transaction has is a change", "lifecycle.moves.same", moving(func(r request, _ ask, before map[string]any, a answer) answer {
			if a.status == 200 && before["status"] == r.member("status") && before["status"] == "PROCESSING" && before["delivery_status"] == "READY_FOR_PICKUP" {
				return a.object(func(v map[string]any) { v["updated_at"] = time.Now().UTC().Format("2006-01-02T15:04:05.000000") })
			}
			return a
		})),
		broken("Without a delivery status cash waits at the counter no more", "lifecycle.moves.same", moving(func(r request, _ ask, before map[string]any, a answer) answer {
			if a.status == 200 && before["delivery_status"] == "READY_FOR_PICKUP" && r.member("status") == "PROCESSING" && r.member("delivery_status") == nil {
				return pretended(before, a, "PROCESSING", "PENDING")
			}
			return a
		})),
		broken("A failure needs no reason", "lifecycle.moves.reasons", moving(func(r request, next ask, _ map[string]any, a answer) answer {
			if a.status == 400 && r.member("status") == "FAILED" && r.member("status_reason") == nil {
				return next(r.set("OTHER", "status_reason"))
			}
			return a
		})),
		broken("A reason is ignored where there is none", "lifecycle.moves.reasons", moving(func(r request, next ask, _ map[string]any, a answer) answer {
			if a.status == 400 && r.member("status") == "PROCESSING" && r.member("status_reason") == "OTHER" {
				return next(r.set(nil, "status_reason"))
			}
			return a
		})),
		broken("A bank deposit waits at a counter", "lifecycle.moves.ready-for-pickup", moving(func(r request, _ ask, before map[string]any, a answer) answer {
			if a.status == 422 && member(before, "to", "payout_method") == "BANK_DEPOSIT" && r.member("delivery_status") == "READY_FOR_PICKUP" {
				return pretended(before, a, "PROCESSING", "READY_FOR_PICKUP")
			}
			return a
		})),
	}
}

func cancelMutants() []mutant {
	return []mutant{
		broken("A second cancellation is refused", "lifecycle.cancel.initiated", canceling(func(before map[string]any, a answer) answer {
			if before["status"] == "CANCELED" {
				return a.failure(422, "TRANSACTION_NOT_CANCELABLE")
			}
			return a
		})),
		broken("A cancellation of the client removes the reason of the operator", "lifecycle.cancel.initiated", canceling(func(_ map[string]any, a answer) answer {
			return a.object(func(v map[string]any) { delete(v, "status_reason") })
		})),
		broken("What is ready for pickup can be canceled", "lifecycle.cancel.too-late", canceling(func(before map[string]any, a answer) answer {
			if before["delivery_status"] == "READY_FOR_PICKUP" {
				return pretended(before, a, "CANCELED", "NONE")
			}
			return a
		})),
		broken("A late cancellation has the code of a move", "lifecycle.cancel.too-late",
			answering("cancelTransaction", 422, func(_ request, a answer) answer { return a.failure(422, "TRANSITION_NOT_ALLOWED") })),
		broken("The key of a canceled transaction creates anew", "lifecycle.cancel.key",
			after(func(op string, r request, a answer, next ask) answer {
				if op == "createTransaction" && a.isReplay() && a.member("status") == "CANCELED" {
					return next(r.header(keyHeader, ""))
				}
				return a
			})),
		broken("The note of a canceled transaction is not answered", "lifecycle.cancel.representation",
			returning("cancelTransaction", func(_ request, v map[string]any) { delete(v, "note") })),
		broken("Moves that come too late are answered as if they had come first", "lifecycle.cancel.at-once",
			after(func(op string, r request, a answer, next ask) answer {
				switch {
				case a.status != http.StatusUnprocessableEntity:
				case op == "cancelTransaction":
					before, _ := r.read(next, "/users/"+r.user()+"/transactions/"+r.segment(3)).(map[string]any)
					return pretended(before, a, "CANCELED", "NONE")
				case op == "setTransactionStatus" && r.member("status") == "PROCESSING":
					before, _ := r.read(next, "/users/"+r.user()+"/transactions/"+r.segment(4)).(map[string]any)
					return pretended(before, a, "PROCESSING", "PENDING")
				}
				return a
			})),
	}
}

func lifecycleRuleMutants() []mutant {
	// counting changes what remains, by the transactions that have a status.
	counting := func(status string, sign int64) func() fault {
		return limits(func(r request, next ask, l map[string]any) {
			for _, v := range r.transactions(next) {
				if v["status"] == status {
					lower(l, new(big.Rat).Mul(rational(v["from_amount"]), big.NewRat(sign, 1)))
				}
			}
		})
	}
	return []mutant{
		broken("A failed transaction still counts", "lifecycle.limits", counting("FAILED", 1)),
		broken("A returned transaction still counts", "lifecycle.limits", counting("RETURNED", 1)),
		broken("A canceled transaction is given back twice", "lifecycle.limits", counting("CANCELED", -1)),
		broken("A completed transaction no longer counts", "lifecycle.limits", counting("COMPLETED", -1)),
		broken("required_information is left out where it is empty", "lifecycle.new",
			returning("createTransaction", func(_ request, v map[string]any) {
				if all, _ := v["required_information"].([]any); len(all) == 0 {
					delete(v, "required_information")
				}
			})),
		broken("A new transaction was updated a moment after its creation", "lifecycle.new",
			returning("createTransaction", func(_ request, v map[string]any) {
				v["updated_at"] = time.Now().UTC().Add(time.Second).Format("2006-01-02T15:04:05.000000")
			})),
		broken("What was required once remains required", "lifecycle.held", func() fault {
			m, required := &memory{}, map[any]any{}
			return func(op string, r request, next ask) answer {
				a := next(r)
				m.mu.Lock()
				defer m.mu.Unlock()
				if op == "createTransaction" && a.status == 200 {
					required[a.member("id")] = a.member("required_information")
				}
				if all, known := required[a.member("id")]; known && op == "getTransaction" && a.member("status") == "INITIATED" {
					return a.object(func(v map[string]any) { v["required_information"] = all })
				}
				return a
			}
		}),
		broken("A release does not wait for information", "lifecycle.held", moving(func(_ request, _ ask, before map[string]any, a answer) answer {
			if a.code() == "INFORMATION_REQUIRED" {
				return pretended(before, a, "PROCESSING", "PENDING")
			}
			return a
		})),
		broken("One of the required tags is not named", "lifecycle.held", after(func(op string, r request, a answer, _ ask) answer {
			if all, _ := a.member("required_information").([]any); op == "createTransaction" && len(all) > 1 {
				return a.object(func(v map[string]any) { v["required_information"] = all[1:] })
			}
			return a
		})),
		broken("What waits for information cannot be canceled", "lifecycle.held.canceled", canceling(func(before map[string]any, a answer) answer {
			if all, _ := before["required_information"].([]any); len(all) > 0 {
				return a.failure(422, "TRANSACTION_NOT_CANCELABLE")
			}
			return a
		})),
		broken("Missing information is told before the suspension of the sender", "lifecycle.sender",
			answering("setTransactionStatus", 422, func(_ request, a answer) answer {
				if a.code() == "KYC_NOT_ELIGIBLE" {
					return a.failure(422, "INFORMATION_REQUIRED")
				}
				return a
			})),
	}
}
