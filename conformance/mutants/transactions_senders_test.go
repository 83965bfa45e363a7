package mutants_test

import (
	"net/http"
	"sync"
)

// transactionSenderMutants break rules 1, 3a and 3b of section 1.
func transactionSenderMutants() []mutant {
	verified := func(r request, next func(request) answer) bool { return r.status(next) == "VERIFIED" }
	all := []mutant{
		{
			name: "A user outside the corridors learns first that it may not send", by: "transactions.sender.corridor",
			fault: miscalls("CORRIDOR_NOT_ENABLED", anything, http.StatusUnprocessableEntity, "SENDING_NOT_ENABLED"),
		},
		{
			name: "A verified user without sending capability is told to verify again", by: "transactions.sender.capability",
			fault: miscalls("SENDING_NOT_ENABLED", verified, http.StatusUnprocessableEntity, "KYC_NOT_ELIGIBLE"),
		},
		{
			name: "A user that was suspended once never sends again", by: "transactions.sender.verified",
			fault: func() fault {
				var suspended sync.Map
				return func(op string, r request, next func(request) answer) answer {
					a := next(r)
					switch {
					case op == "setVerification" && a.status == http.StatusOK && r.text("kyc_status") == "SUSPENDED":
						suspended.Store(r.segment(2), true)
					case op == "createTransaction" && a.status == http.StatusOK && r.key() == "":
						if _, once := suspended.Load(r.user()); once {
							a = a.failure(http.StatusUnprocessableEntity, "KYC_NOT_ELIGIBLE")
						}
					}
					return a
				}
			},
		},
		{
			name: "A business creates no transactions", by: "transactions.sender.verified",
			fault: refusing("KYC_NOT_ELIGIBLE", isBusiness),
		},
		{
			name: "Of the funding accounts of a user only the last that became ACTIVE is", by: "transactions.funding-account.each-active",
			fault: answered("setFundingAccountStatus", func(r request, next func(request) answer, a answer) {
				for _, account := range r.below(next, "/funding-accounts") {
					if a.member("status") == "ACTIVE" && account["status"] == "ACTIVE" && account["id"] != a.member("id") {
						inner := r.to(http.MethodPost, "/sandbox/users/"+r.user()+"/funding-accounts/"+text(account["id"])+"/status")
						inner.body = encode(map[string]any{"status": "INACTIVE"})
						next(inner)
					}
				}
			}),
		},
		{
			name: "An unknown funding account stands for the active one", by: "transactions.funding-account.not-found",
			fault: knowing(func(of known) func() fault {
				return overlooking("FUNDING_ACCOUNT_NOT_FOUND", where(of.by("", "from_fund_id"), activeFund))
			}),
		},
		{
			name: "The funding account of any user funds a transaction", by: "transactions.funding-account.not-found",
			fault: knowing(func(of known) func() fault {
				return overlooking("FUNDING_ACCOUNT_NOT_FOUND", where(of.by("createFundingAccount", "from_fund_id"), activeFund))
			}),
		},
	}
	for status, by := range map[string]string{
		"UNVERIFIED": "transactions.sender.unverified", "IN PROGRESS": "transactions.sender.kyc", "SUSPENDED": "transactions.sender.kyc",
	} {
		all = append(all, mutant{
			name:  "A sender that is " + status + " creates transactions",
			by:    by,
			fault: overlooking("KYC_NOT_ELIGIBLE", where(func(r request, next func(request) answer) bool { return r.status(next) == status }, asVerified)),
		})
	}
	for _, status := range []string{"PENDING", "INACTIVE"} {
		all = append(all, mutant{
			name: "A funding account that is " + status + " funds transactions", by: "transactions.funding-account.not-active",
			fault: overlooking("FUNDING_ACCOUNT_NOT_ACTIVE", where(func(r request, next func(request) answer) bool {
				return first(r.below(next, "/funding-accounts"), "id", r.text("from_fund_id"))["status"] == status
			}, activeFund)),
		})
	}
	return append(all, mutant{
		name: "A funding account need not be active", by: "transactions.funding-account.not-active",
		fault: overlooking("FUNDING_ACCOUNT_NOT_ACTIVE", activeFund),
	})
}

// isBusiness tells whether the user in the path is one.
func isBusiness(r request, next func(request) answer) bool {
	return member(r.read(next, "/users/"+r.user()), "business") == true
}

func anything(request, func(request) answer) bool { return true }

// status gives the KYC status of the user in the path.
func (r request) status(next func(request) answer) any {
	return member(r.read(next, "/users/"+r.user()), "status")
}

// asVerified tries a transaction while its sender is VERIFIED.
func asVerified(r request, next func(request) answer) answer {
	was := r.status(next)
	verify := func(status any) {
		inner := r.to(http.MethodPost, "/sandbox/users/"+r.user()+"/verification")
		inner.body = encode(map[string]any{"kyc_status": status})
		next(inner)
	}
	verify("VERIFIED")
	defer verify(was)
	return next(r)
}

// activeFund tries a transaction with the funding account of the sender that is active.
var activeFund = with(func(r request, next func(request) answer) any {
	return first(r.below(next, "/funding-accounts"), "status", "ACTIVE")["id"]
}, "from_fund_id")
