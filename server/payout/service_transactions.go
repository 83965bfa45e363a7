package payout

import (
	"context"
	"errors"
	"maps"
	"slices"
)

// CreateTransaction creates a transaction, once per key (see once). It returns CodeBadRequest for invalid amounts (see
// NewTransaction.amounts), CodeNotFound for an unknown user, and the code of the first rule of section 1 that is not met.
func (s *Service) CreateTransaction(
	ctx context.Context, c Client, key Idempotency, userID UserID, n NewTransaction,
) (t Transaction, replayed bool, err error) {
	var money amounts
	var sides Sides
	return once(ctx, s, c, key, creation[Transaction, TransactionID]{
		check: func() (err error) {
			money, err = n.amounts()
			return err
		},
		read: func(r Reader) (err error) {
			sides, err = r.Sides(ctx, c.ID, userID, n.FromFundID, n.To)
			return err
		},
		create: func(tx Tx, id TransactionID) (Transaction, error) {
			return s.create(ctx, tx, c, id, sides, n, money)
		},
		find: func(r Reader, id TransactionID) (Transaction, bool, error) {
			return r.Transaction(ctx, c.ID, userID, id)
		},
	})
}

// create checks the rules in their order and writes the transaction.
func (s *Service) create(
	ctx context.Context, tx Tx, c Client, id TransactionID, sides Sides, n NewTransaction, money amounts,
) (Transaction, error) {
	p, err := s.plan(ctx, tx, c, sides, n, money)
	if err != nil {
		return Transaction{}, err
	}
	t := p.transaction
	t.ID, t.Documents = id, s.identified(t.Documents)
	used, tags, err := tx.AddUsageWithTags(ctx, c.ID, t.usageKey(), t.FromAmount)
	if err != nil {
		return Transaction{}, err
	}
	l, err := p.checkLimits(tags, Usage{used.Daily - t.FromAmount, used.Monthly - t.FromAmount, used.Annual - t.FromAmount})
	if err != nil {
		return Transaction{}, err
	}
	requested, err := s.request(ctx, tx, c, t.UserID, l.requested)
	if err != nil {
		return Transaction{}, err
	}
	t.RequiredInformation = l.required
	if err := tx.InsertTransaction(ctx, c.ID, t); err != nil {
		return Transaction{}, err
	}
	created, err := s.transactionEvents(t, TransactionCreated)
	return t, insert(ctx, tx, c, append(created, requested...), err)
}

// request makes the tags REQUESTED that are absent or FAILED, and returns the event of that, if there are any.
func (s *Service) request(ctx context.Context, tx Tx, c Client, userID UserID, requested []string) ([]Event, error) {
	if len(requested) == 0 {
		return nil, nil
	}
	u, err := lockedUser(ctx, tx, c, userID)
	if err != nil {
		return nil, err
	}
	before, err := tx.CIPTags(ctx, c.ID, userID)
	if err != nil {
		return nil, err
	}
	if err := tx.RequestCIPTags(ctx, c.ID, userID, requested); err != nil {
		return nil, err
	}
	after, err := tx.CIPTags(ctx, c.ID, userID)
	if err != nil || maps.Equal(before, after) {
		return nil, err
	}
	if u.Documents, err = tx.UserDocuments(ctx, c.ID, userID); err != nil {
		return nil, err
	}
	return s.userEvents(u, after, UserInformationRequested)
}

// planned is a transaction that meets every rule but that of the limits, with what that one needs.
type planned struct {
	transaction Transaction // without ids
	sender      User
	destination Destination
}

// plan checks all rules but that of the limits, in their order. It writes nothing.
func (s *Service) plan(
	ctx context.Context, r Reader, c Client, sides Sides, n NewTransaction, money amounts,
) (planned, error) {
	if sides.Sender == nil {
		return planned{}, NotFound("user")
	}
	u := *sides.Sender
	corridor, err := senderMaySend(c, u)
	if CodeOf(err) == CodeKYCNotEligible {
		err = notEligible(ctx, r, c, u)
	}
	if err != nil {
		return planned{}, err
	}
	funding, err := sides.activeFundingAccount()
	if err != nil {
		return planned{}, err
	}
	receiver, destination, err := sides.receiver(c)
	if err != nil {
		return planned{}, err
	}
	side, err := sides.receiveSide(n.To)
	if err != nil {
		return planned{}, err
	}
	if err := allowed(c, n, money, corridor, side); err != nil {
		return planned{}, err
	}
	now := s.now()
	t := Transaction{
		UserID: u.ID, CreatedAt: now, UpdatedAt: now, Status: StatusInitiated, DeliveryStatus: DeliveryNone,
		FromAmount: money.from, FromCurrency: n.FromCurrency, ToAmount: money.to, ToCurrency: n.ToCurrency,
		FeeAmount: money.fee, ExchangeRate: n.ExchangeRate, FromFundID: funding.ID, FundingType: n.FundingType,
		Destination: receiver.Country, ClientReference: n.ClientReference, RequestID: n.RequestID, Notes: n.Notes, Documents: n.Documents, To: n.To,
		Receiver: Receiver{
			FirstName: receiver.FirstName, LastName: receiver.LastName, Email: receiver.Email,
			MobilePhone: receiver.MobilePhone, AddressLine1: receiver.AddressLine1,
		},
	}
	if t.FundingType == "" {
		t.FundingType = funding.Type
	}
	return planned{t, u, destination}, nil
}

// senderMaySend checks rules 1 and 3a of section 1.
func senderMaySend(c Client, u User) (Corridor, error) {
	corridor, ok := c.Corridor(u.Country)
	if !ok {
		return Corridor{}, NewError(CodeCorridorNotEnabled)
	}
	if !u.Sending {
		return Corridor{}, NewError(CodeSendingNotEnabled)
	}
	if u.Status != KYCVerified { // the only status that section 1 does not exclude (D-11)
		return Corridor{}, NewError(CodeKYCNotEligible)
	}
	return corridor, nil
}

// notEligible returns CodeKYCNotEligible with the tags for which something is to be sent, or else those that wait.
func notEligible(ctx context.Context, r Reader, c Client, u User) error {
	tags, err := r.CIPTags(ctx, c.ID, u.ID)
	if err != nil {
		return err
	}
	var wanted, waiting []string
	for _, tag := range slices.Sorted(maps.Keys(tags)) {
		switch tags[tag] {
		case CIPFailed, CIPRequested:
			wanted = append(wanted, tag)
		case CIPSubmit, CIPReviewing:
			waiting = append(waiting, tag)
		case CIPVerified:
		}
	}
	message := "The KYC status of the user is " + string(u.Status) + ", and must be VERIFIED. "
	switch {
	case u.Status == KYCSuspended:
		message += "Ask the operator."
	case len(wanted) > 0:
		message += "Send what is FAILED or REQUESTED: " + listed(wanted) + "."
	case len(waiting) > 0:
		message += "Wait for the verification of " + listed(waiting) + "."
	default:
		message += "Wait for the operator."
	}
	return NewError(CodeKYCNotEligible).saying(message)
}

// activeFundingAccount checks rule 3b of section 1.
func (s Sides) activeFundingAccount() (FundingAccount, error) {
	switch a := s.FundingAccount; {
	case a == nil:
		return FundingAccount{}, NewError(CodeFundingAccountNotFound, InBody("/from_fund_id", "must be a funding account of the user"))
	case a.Status != FundingActive:
		return FundingAccount{}, NewError(CodeFundingAccountNotActive, InBody("/from_fund_id", "must be an active funding account"))
	default:
		return *a, nil
	}
}

// receiver checks rule 3c of section 1.
func (s Sides) receiver(c Client) (ReceiveUser, Destination, error) {
	if s.Receiver == nil {
		return ReceiveUser{}, Destination{}, NewError(CodeReceiveUserNotFound,
			InBody("/to/id", "must be a receive user of the user"))
	}
	destination, ok := c.Destination(s.Receiver.Country)
	if !ok {
		return ReceiveUser{}, Destination{}, notEnabled(c.destinationCountries(),
			InBody("/to/id", "must be a receive user in an enabled destination country"))
	}
	return *s.Receiver, destination, nil
}

// paidOut says in which currencies the receive side can pay out, and within which bounds.
type paidOut struct {
	currencies []string
	limits     []NetworkLimit
}

// errUnknownMethod is returned for a payout method that has no rule.
var errUnknownMethod = errors.New("unknown payout method")

// receiveSide checks rule 4 of section 1, for a receive user that exists.
func (s Sides) receiveSide(to ReceiveSide) (paidOut, error) {
	switch to.Method {
	case BankDeposit:
		if s.BankAccount == nil {
			return paidOut{}, NewError(CodeReceiveAccountNotFound, InBody("/to/fund_id", "must be a bank account of the receive user"))
		}
		return paidOut{currencies: []string{s.BankAccount.Currency}}, nil
	case Wallet:
		return s.walletSide(to)
	case HomeDelivery:
		p, err := s.payer(HomeDelivery, "/to/payer_id")
		if err == nil && (s.Receiver.AddressLine1 == "" || s.Receiver.City == "") {
			err = NewError(CodeAddressRequired, InBody("/to/id", "must be a receive user with address_line1 and city"))
		}
		return paidOut{[]string{p.Currency}, p.NetworkLimits}, err
	case CashPickup:
		p, err := s.payer(CashPickup, "/to/payer_id")
		isLocation := func(l PickupLocation) bool { return l.ID == to.PickupLocation }
		if err == nil && to.PickupLocation != 0 && !slices.ContainsFunc(p.PickupLocations, isLocation) {
			err = NewError(CodePickupLocationNotFound, InBody("/to/pickup_location", "must be a pick-up location of the payer"))
		}
		return paidOut{[]string{p.Currency}, p.NetworkLimits}, err
	}
	return paidOut{}, errUnknownMethod // the contract accepts no other
}

func (s Sides) walletSide(to ReceiveSide) (paidOut, error) {
	a := s.WalletAccount
	if a == nil {
		return paidOut{}, NewError(CodeReceiveAccountNotFound,
			InBody("/to/fund_id", "must be a wallet account of the receive user"))
	}
	if to.PayerID != 0 && to.PayerID != a.PayerID {
		return paidOut{}, NewError(CodePayerNotFound, InBody("/to/payer_id", "must be the payer of the wallet account"))
	}
	p, err := s.payer(Wallet, "/to/fund_id")
	return paidOut{[]string{a.Currency}, p.NetworkLimits}, err
}

func (s Sides) payer(m PayoutMethod, pointer string) (Payer, error) {
	if s.Payer == nil || !s.Payer.paysOut(m, s.Receiver.Country) {
		return Payer{}, noPayer(m, pointer)
	}
	return *s.Payer, nil
}

// allowed checks the currencies, the rate, the receiving amount and the bounds of the payer (section 1, rule 5; D-21, D-42,
// D-62).
func allowed(c Client, n NewTransaction, money amounts, corridor Corridor, side paidOut) error {
	if n.FromCurrency != corridor.Currency {
		return unsupportedCurrency("/from_currency", "must be the sending currency of the corridor", corridor.Currency)
	}
	if !slices.Contains(side.currencies, n.ToCurrency) {
		return unsupportedCurrency("/to_currency", "must be a currency of the receive side", side.currencies...)
	}
	if b, ok := c.rateBounds(n.FromCurrency, n.ToCurrency); ok && !b.allow(n.ExchangeRate) {
		return NewError(CodeExchangeRateNotAllowed,
			InBody("/exchange_rate", "must be within the bounds agreed for these currencies")).saying(
			"The exchange rate from " + b.From + " to " + b.To + " must be from " + b.Min.String() + " to " + b.Max.String() +
				", as agreed with the operator.")
	}
	if money.to == 0 {
		return NewError(CodeAmountNotAllowed,
			InBody("/from_amount", "must give a receiving amount above zero and of at most 1000000000000")).saying(
			"The receiving amount would be zero or too large. Change from_amount, or check exchange_rate.")
	}
	for _, l := range side.limits {
		if l.Currency == n.ToCurrency && (money.to < l.Min || money.to > l.Max) {
			return NewError(CodeAmountNotAllowed, InBody("/to_amount", "must be within the network limit of the payer")).saying(
				"The payer pays out from " + inMajor(l.Min, l.Currency) + " to " + inMajor(l.Max, l.Currency) +
					". Change the amount, or use another payer.")
		}
	}
	return nil
}

// limited is what the rule of the limits says about a transaction that it allows.
type limited struct {
	requested []string // tags of the next tier, if the amount is above the current one: they become REQUESTED (D-25)
	required  []string // tags that must become VERIFIED before the release (D-66)
	remaining Usage    // of the current tier, after the transaction
}

// checkLimits checks the limits of the sender, given its tags and what was used before the transaction (D-17). It returns
// CodeLimitExceeded if the amount is above the remaining limits of the highest tier, which no verification could raise.
func (p planned) checkLimits(tags map[string]CIPStatus, before Usage) (limited, error) {
	tiers, amount, currency := p.destination.Tiers, p.transaction.FromAmount, p.transaction.FromCurrency
	if highest := remaining(tiers, len(tiers), currency, before); !highest.covers(amount) {
		return limited{}, NewError(CodeLimitExceeded,
			InBody("/from_amount", "must be within the remaining limit of the highest tier")).saying(highest.exceeded(currency))
	}
	tier := currentTier(tiers, p.sender, tags)
	after := Usage{before.Daily + amount, before.Monthly + amount, before.Annual + amount}
	l := limited{remaining: remaining(tiers, tier, currency, after)}
	if !remaining(tiers, tier, currency, before).covers(amount) {
		l.requested = tiers[tier].RequiredTags.of(p.sender)
		l.required = requiredInformation(tiers, p.sender, tags, tier, currency, before, amount)
	}
	return l, nil
}

// Transaction returns a transaction; otherwise CodeNotFound.
func (s *Service) Transaction(ctx context.Context, c Client, userID UserID, id TransactionID) (Transaction, error) {
	t, ok, err := s.store.Transaction(ctx, c.ID, userID, id)
	if err == nil && !ok {
		err = NotFound("transaction")
	}
	return t, err
}

// Transactions lists a page of the transactions of a user, newest first, and returns the position after which the next page
// begins, zero if there is none. It returns CodeNotFound for an unknown user.
func (s *Service) Transactions(ctx context.Context, c Client, userID UserID, page Page) ([]Transaction, Position, error) {
	if _, err := findUser(ctx, s.store, c, userID); err != nil {
		return nil, Position{}, err
	}
	return pageOf(page, func(p Page) ([]Transaction, error) { return s.store.Transactions(ctx, c.ID, userID, p) },
		func(v Transaction) Position { return Position{v.CreatedAt, string(v.ID)} })
}
