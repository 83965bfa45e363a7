// Package payouttest runs the payout service inside your tests: the code of the real server in sandbox mode, on a database
// of its own, with faults between your code and it.
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
// file. Sandboxes are independent, so tests may run in parallel.
//
// # Outcomes and webhooks
//
// [Sandbox.Release], [Sandbox.Settle], [Sandbox.Fail] and [Sandbox.Return] do what the operator does with a payout. That of
// [Sandbox.HeldPayout] waits for information until [Sandbox.VerifyRequired].
//
// With the option [Webhooks] the service delivers to your handler. [Sandbox.Webhook] registers it, [Webhook.Delivered] waits until
// it has accepted everything, and [Webhook.Again] sends it an event a second time, or late:
//
//	func TestStatusesArrive(t *testing.T) {
//		sandbox := payouttest.New(t, payouttest.Webhooks())
//		handler := yourcode.Handler()
//		receiver := httptest.NewServer(handler)
//		defer receiver.Close()
//		hook := sandbox.Webhook(receiver.URL)
//		handler.Trust(hook.Secret)
//
//		id := yourcode.Pay(t, sandbox)
//		sandbox.Settle(id)
//		events := hook.Delivered()
//		hook.Again(events[0].ID)
//		if status := handler.Status(id); status != api.TransactionStatusCompleted {
//			t.Error(status)
//		}
//	}
//
// Signatures have the time of the machine, whatever [Sandbox.Now] is, because your handler compares it with its clock.
//
// # Faults
//
// [Sandbox.Next] and [Sandbox.All] select calls by operation, and the methods of [Calls] say which of them meet which fault:
//
//	FAULT                             THE SERVICE      THE CALLER GETS
//	LoseRequest                       does not get it  EOF
//	LoseResponse                      handles it       EOF
//	CutResponse                       handles it       half of the body, then an unexpected EOF
//	ChangeResponse                    handles it       its response, changed
//	Fail, Answer                      does not get it  an error code of the contract, any response
//	Handled().Fail, Handled().Answer  handles it       the same
//	Delay, Hold                       handles it late  its response
//	Handled().Delay, Handled().Hold   handles it       its response, late
//
// After Reset, the first three end with ECONNRESET. [Sandbox.Stop] ends the service itself: connections are refused.
//
// A fault is one failed attempt of the SDK, also of a call that reads: each request has a connection of its own, so that
// net/http does not repeat it unseen. A fault that was not used up fails the test.
//
// Every response of the service is checked against the contract; one that breaks it fails the test. Responses of faults are
// not checked.
//
// What belongs here: the sandbox, helpers for what a payout needs and for what becomes of it, webhooks, faults of the network and
// of the service, and the recorded requests. What does not: a fake of the service, and assertions about your code.
package payouttest
