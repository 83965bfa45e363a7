package payout

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// CreateUser registers a user, once per key (see once), with the status UNVERIFIED and a SUBMIT tag for each submitted piece
// of information. It returns CodeBadRequest for contradictory fields (D-13), and CodeCorridorNotEnabled for a sending user
// whose country is not an originating corridor of the client (section 1, rule 1).
func (s *Service) CreateUser(ctx context.Context, c Client, key Idempotency, u User) (_ User, replayed bool, err error) {
	return once(ctx, s, c, key, creation[User, UserID]{
		check: func() error { return refused(u.check(s.now(), s.isCountry)) },
		create: func(tx Tx, id UserID) (User, error) {
			if _, ok := c.Corridor(u.Country); u.Sending && !ok {
				return User{}, notEnabled(c.originCountries(), InBody("/country", "must be an enabled originating country for a sending user"))
			}
			u.ID, u.CreatedAt, u.Status = id, s.now(), KYCUnverified
			u.Documents = s.identified(u.Documents)
			if err := tx.InsertUser(ctx, c.ID, u); err != nil {
				return User{}, err
			}
			return u, tx.SetCIPTags(ctx, c.ID, u.ID, submittedTags(u))
		},
		find: func(r Reader, id UserID) (User, bool, error) { return wholeUser(ctx, r, c, id) },
	})
}

// isCountry reports whether ISO 3166-1 has a country.
func (s *Service) isCountry(code string) bool {
	_, ok := s.country(code)
	return ok
}

// User returns a user with its documents; otherwise CodeNotFound.
func (s *Service) User(ctx context.Context, c Client, id UserID) (User, error) {
	u, ok, err := wholeUser(ctx, s.store, c, id)
	if err == nil && !ok {
		err = NotFound("user")
	}
	return u, err
}

// wholeUser reads a user with its documents.
func wholeUser(ctx context.Context, r Reader, c Client, id UserID) (User, bool, error) {
	u, ok, err := r.User(ctx, c.ID, id)
	if err != nil || !ok {
		return User{}, false, err
	}
	u.Documents, err = r.UserDocuments(ctx, c.ID, id)
	return u, err == nil, err
}

// CIPInfo returns the verification information of a user. It returns CodeNotFound for an unknown user.
func (s *Service) CIPInfo(ctx context.Context, c Client, userID UserID) (CIPInfo, error) {
	u, err := findUser(ctx, s.store, c, userID)
	if err != nil {
		return CIPInfo{}, err
	}
	tags, err := s.store.CIPTags(ctx, c.ID, userID)
	return CIPInfo{UserID: u.ID, Status: u.Status, Tags: tags}, err
}

// Verification is a change of a user's verification: an overall status, statuses of tags, or both.
type Verification struct {
	Status KYCStatus // empty: unchanged
	Tags   map[string]CIPStatus
	// OnlySubmitted rejects tags that would become VERIFIED although nothing was submitted for them: absent and REQUESTED ones.
	OnlySubmitted bool
}

// SetVerification changes the verification of a user (D-20, D-24, D-25). It returns CodeNotFound for an
// unknown user, and CodeBadRequest for a tag that this kind of user does not have, or that OnlySubmitted rejects.
func (s *Service) SetVerification(ctx context.Context, c Client, userID UserID, v Verification) (CIPInfo, error) {
	var info CIPInfo
	err := s.store.Write(ctx, func(tx Tx) error {
		u, err := lockedUser(ctx, tx, c, userID)
		if err != nil {
			return err
		}
		if err := refused(unknownTags(v.Tags, u)); err != nil {
			return err
		}
		tags, err := tx.CIPTags(ctx, c.ID, userID)
		if err != nil {
			return err
		}
		if v.OnlySubmitted {
			if err := refused(notSubmitted(v.Tags, tags)); err != nil {
				return err
			}
		}
		before, statusBefore, tagsBefore := newVerificationState(u.Status, tags, v.Tags), u.Status, tags
		if v.Status != "" {
			u.Status = v.Status
			if err := tx.SetUserStatus(ctx, c.ID, userID, v.Status); err != nil {
				return err
			}
		}
		if err := tx.SetCIPTags(ctx, c.ID, userID, v.Tags); err != nil {
			return err
		}
		if tags, err = tx.CIPTags(ctx, c.ID, userID); err != nil {
			return err
		}
		info = CIPInfo{UserID: u.ID, Status: u.Status, Tags: tags}
		changes := informationEvents(tagsBefore, tags)
		if u.Status != statusBefore {
			changes = append(changes, UserStatusChanged)
		}
		if len(changes) > 0 {
			if u.Documents, err = tx.UserDocuments(ctx, c.ID, userID); err != nil {
				return err
			}
		}
		changed, err := s.userEvents(u, tags, changes...)
		if err := insert(ctx, tx, c, changed, err); err != nil {
			return err
		}
		return tx.Audit(ctx, Change{c.ID, "user", string(u.ID), before, newVerificationState(u.Status, tags, v.Tags)})
	})
	return info, err
}

// notSubmitted returns the tags that would become VERIFIED although nothing was submitted for them.
func notSubmitted(next, now map[string]CIPStatus) []Violation {
	var found []Violation
	for tag, status := range next {
		if status == CIPVerified && (now[tag] == "" || now[tag] == CIPRequested) {
			found = append(found, InBody("/cip_info/"+pointerEscape.Replace(tag), "was not submitted"))
		}
	}
	slices.SortFunc(found, func(a, b Violation) int { return cmp.Compare(a.Field, b.Field) })
	return found
}

func unknownTags(tags map[string]CIPStatus, u User) []Violation {
	known, kind := CIPTags(u.Business), "an individual"
	if u.Business {
		kind = "a business"
	}
	var found []Violation
	for tag := range tags {
		if !slices.Contains(known, tag) {
			found = append(found, InBody("/cip_info/"+pointerEscape.Replace(tag), "is not a CIP tag of "+kind+" user"))
		}
	}
	slices.SortFunc(found, func(a, b Violation) int { return cmp.Compare(a.Field, b.Field) })
	return found
}

// pointerEscape escapes a member name for a JSON pointer (RFC 6901).
var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

// Limits returns what a user may still send to a destination (section 2.8), or CodeNotFound for an unknown user or a
// destination that is not enabled. A user who cannot send is in tier 0 with nothing remaining (D-32).
func (s *Service) Limits(ctx context.Context, c Client, userID UserID, destination string) (Limits, error) {
	u, err := findUser(ctx, s.store, c, userID)
	if err != nil {
		return Limits{}, err
	}
	d, ok := c.Destination(destination)
	if !ok {
		return Limits{}, NotFound("destination")
	}
	corridor, ok := c.Corridor(u.Country)
	if !ok || !u.Sending {
		return Limits{UserID: u.ID, Destination: destination}, nil
	}
	tags, err := s.store.CIPTags(ctx, c.ID, userID)
	if err != nil {
		return Limits{}, err
	}
	key := UsageKey{UserID: u.ID, Destination: destination, Currency: corridor.Currency, At: s.now()}
	used, err := s.store.Usage(ctx, c.ID, key)
	if err != nil {
		return Limits{}, err
	}
	tier := currentTier(d.Tiers, u, tags)
	left := remaining(d.Tiers, tier, corridor.Currency, used)
	return Limits{
		UserID: u.ID, Destination: destination, Currency: corridor.Currency, CurrentTier: tier,
		Daily: left.Daily, Monthly: left.Monthly, Annual: left.Annual,
	}, nil
}

// findUser returns a user without its documents, which no rule needs; otherwise CodeNotFound.
func findUser(ctx context.Context, r Reader, c Client, id UserID) (User, error) {
	u, ok, err := r.User(ctx, c.ID, id)
	if err == nil && !ok {
		err = NotFound("user")
	}
	return u, err
}

// identified returns the documents with new ids.
func (s *Service) identified(documents []Document) []Document {
	documents = slices.Clone(documents)
	for i := range documents {
		documents[i].ID = DocumentID(s.newID())
	}
	return documents
}
