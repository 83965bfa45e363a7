package payout

import "context"

// Preview is a transaction as it would be created, without its id, its times and the ids of its documents.
type Preview struct {
	Transaction Transaction
	Remaining   Usage // of the sender's current tier after the transaction, in its FromCurrency
}

// PreviewTransaction returns what CreateTransaction would return, by the same rules, and the same errors but those about
// keys. It reads one snapshot, writes nothing and locks nothing (D-71).
func (s *Service) PreviewTransaction(ctx context.Context, c Client, userID UserID, n NewTransaction) (Preview, error) {
	money, err := n.amounts()
	if err != nil {
		return Preview{}, err
	}
	var v Preview
	err = s.store.Read(ctx, func(r Reader) error {
		sides, err := r.Sides(ctx, c.ID, userID, n.FromFundID, n.To)
		if err != nil {
			return err
		}
		p, err := s.plan(ctx, r, c, sides, n, money)
		if err != nil {
			return err
		}
		before, err := r.Usage(ctx, c.ID, p.transaction.usageKey())
		if err != nil {
			return err
		}
		tags, err := r.CIPTags(ctx, c.ID, userID)
		if err != nil {
			return err
		}
		l, err := p.checkLimits(tags, before)
		v = Preview{p.transaction, l.remaining}
		v.Transaction.RequiredInformation = l.required
		return err
	})
	return v, err
}
