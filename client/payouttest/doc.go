// Package payouttest runs the payout service inside your tests: the code of the real server in sandbox mode, on a database
// of its own, with switches for what goes wrong between your code and it.
//
//	func TestPayoutsSurviveALostResponse(t *testing.T) {
//		sandbox := payouttest.New(t)
//		sender := sandbox.VerifiedSender()
//		receiver := sandbox.ReceiveUser(sender, "NP")
//		payout := sandbox.Payout(sender, receiver, api.PayoutMethodBankDeposit, "100.00")
//
//		sandbox.Next("createTransaction").LoseResponse()
//		if err := yourcode.Send(t.Context(), sandbox.Client, sender.ID, payout); err != nil {
//			t.Fatal(err)
//		}
//		// The server was asked twice, with one key, and holds one transaction.
//	}
//
// It needs no network, no PostgreSQL and no configuration: each sandbox is a server on 127.0.0.1 with a temporary SQLite
// file. Sandboxes are independent, so tests may run in parallel. Every response is checked against the contract; one that
// breaks it fails the test.
//
// What belongs here: the sandbox, helpers for what a payout needs, faults of the network and of the service, and the
// recorded requests. What does not: a fake of the service, and assertions about your code.
package payouttest
