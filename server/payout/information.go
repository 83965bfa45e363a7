package payout

import (
	"context"
	"maps"
	"reflect"
	"slices"
)

// Further information about a user who is registered (D-72). It follows the rules of the registration.

// maxDocuments is how many documents a user has at most.
const maxDocuments = 100

// UpdateUser changes the members of the profile that are sent, and makes their tags SUBMIT. It returns the user as it is now.
// It returns CodeNotFound, CodeBadRequest for contradictory fields (D-13), and CodeInformationVerified for members whose tag
// is VERIFIED and whose value would change; then nothing changes.
func (s *Service) UpdateUser(ctx context.Context, c Client, id UserID, sent UserProfile) (User, error) {
	var u User
	err := s.store.Write(ctx, func(tx Tx) (err error) {
		if u, err = lockedUser(ctx, tx, c, id); err != nil {
			return err
		}
		if err := s.mayUpdate(u, sent); err != nil {
			return err
		}
		tags, err := tx.CIPTags(ctx, c.ID, id)
		if err != nil {
			return err
		}
		profile, submitted, err := u.updated(sent, tags)
		if err != nil {
			return err
		}
		changed := !reflect.DeepEqual(profile, u.Profile)
		if changed {
			u.Profile = profile
			if err := tx.SetUserProfile(ctx, c.ID, id, profile); err != nil {
				return err
			}
		}
		if err := tx.SetCIPTags(ctx, c.ID, id, submitted); err != nil {
			return err
		}
		if u.Documents, err = tx.UserDocuments(ctx, c.ID, id); err != nil {
			return err
		}
		return s.informationChanged(ctx, tx, c, u, tags, submitted, changed)
	})
	return u, err
}

// mayUpdate checks the members that are sent, as a registration does. The others were accepted by the rules of their time.
func (s *Service) mayUpdate(u User, sent UserProfile) error {
	found := User{Business: u.Business, Profile: sent}.check(s.now(), s.isCountry)
	if a := sent.MailingAddress; a != nil && *a == (MailingAddress{}) {
		found = append(found, InBody("/mailing_address", "must have a member, because none can be removed"))
	}
	return refused(found)
}

// updated returns the profile with the members that are sent, and the tags that become SUBMIT. A value that the user has
// already leaves its tag alone, unless the tag asks for it.
func (u User) updated(sent UserProfile, tags map[string]CIPStatus) (UserProfile, map[string]CIPStatus, error) {
	submitted := submittedTags(User{Business: u.Business, Profile: sent})
	var verified []Violation
	judge := func(name, tag string, same bool) {
		switch {
		case submitted[tag] == "": // not sent, or a member without a tag
		case same && tags[tag].submitted():
			delete(submitted, tag)
		case tags[tag] == CIPVerified:
			verified = append(verified, InBody("/"+name, "must be the present value, because "+tag+" is VERIFIED"))
		}
	}
	profile := u.Profile
	for _, m := range profileMembers {
		now, next := m.of(&profile), *m.of(&sent)
		if next == "" {
			continue
		}
		judge(m.name, m.tag, next == *now)
		*now = next
	}
	if next := sent.MailingAddress; next != nil {
		judge("mailing_address", tagMailingAddress, reflect.DeepEqual(next, profile.MailingAddress))
		profile.MailingAddress = next
	}
	if len(verified) > 0 {
		return UserProfile{}, nil, NewError(CodeInformationVerified, verified...)
	}
	return profile, submitted, nil
}

// submitted reports whether the tag waits for the operator, or has passed.
func (s CIPStatus) submitted() bool { return s == CIPSubmit || s == CIPReviewing || s == CIPVerified }

// CreateDocuments adds documents to a user, once per key (see once), makes their tags SUBMIT, and returns the user with all
// documents. It returns CodeNotFound, CodeBadRequest without a document or for an unknown country, CodeInformationVerified for
// documents whose tag is VERIFIED, and CodeTooManyDocuments; then none is added.
func (s *Service) CreateDocuments(
	ctx context.Context, c Client, key Idempotency, userID UserID, documents []Document,
) (_ User, replayed bool, err error) {
	return once(ctx, s, c, key, creation[User, DocumentID]{
		create: func(tx Tx, id DocumentID) (User, error) { return s.addDocuments(ctx, tx, c, id, userID, documents) },
		find: func(r Reader, id DocumentID) (User, bool, error) {
			u, ok, err := wholeUser(ctx, r, c, userID)
			return u, ok && slices.ContainsFunc(u.Documents, func(d Document) bool { return d.ID == id }), err
		},
	})
}

// addDocuments writes documents, the first one with the id, which is that of the key's resource.
func (s *Service) addDocuments(ctx context.Context, tx Tx, c Client, id DocumentID, userID UserID, documents []Document) (User, error) {
	u, err := lockedUser(ctx, tx, c, userID)
	if err != nil {
		return User{}, err
	}
	if len(documents) == 0 {
		return User{}, refused([]Violation{InBody("/physical_documents", "must have a document, unless virtual_documents has one")})
	}
	if err := refused(User{Documents: documents}.check(s.now(), s.isCountry)); err != nil {
		return User{}, err
	}
	tags, err := tx.CIPTags(ctx, c.ID, userID)
	if err != nil {
		return User{}, err
	}
	var verified []Violation
	for i, d := range documents {
		if tag := documentTag(d, u.Business); tags[tag] == CIPVerified {
			verified = append(verified, InBody(documentPointer(documents, i), "must not be sent, because "+tag+" is VERIFIED"))
		}
	}
	if len(verified) > 0 {
		return User{}, NewError(CodeInformationVerified, verified...)
	}
	present, err := tx.UserDocuments(ctx, c.ID, userID)
	if err != nil {
		return User{}, err
	}
	if len(present)+len(documents) > maxDocuments {
		return User{}, NewError(CodeTooManyDocuments, InBody("/"+string(documents[0].Kind)+"_documents",
			"must leave the user with at most 100 documents"))
	}
	added := s.identified(documents)
	added[0].ID = id
	if err := tx.InsertUserDocuments(ctx, c.ID, userID, len(present), added); err != nil {
		return User{}, err
	}
	u.Documents = slices.Concat(present, added)
	submitted := submittedTags(User{Business: u.Business, Documents: added})
	if err := tx.SetCIPTags(ctx, c.ID, userID, submitted); err != nil {
		return User{}, err
	}
	return u, s.informationChanged(ctx, tx, c, u, tags, submitted, true)
}

// informationChanged adds the event of a user whose profile or documents changed, or whose submitted tags were not SUBMIT.
func (s *Service) informationChanged(
	ctx context.Context, tx Tx, c Client, u User, tags, submitted map[string]CIPStatus, changed bool,
) error {
	after := maps.Clone(tags)
	maps.Copy(after, submitted)
	if !changed && maps.Equal(tags, after) {
		return nil
	}
	events, err := s.userEvents(u, after, UserInformationChanged)
	return insert(ctx, tx, c, events, err)
}

// lockedUser returns a user that nobody else changes until the end of the write; otherwise CodeNotFound.
func lockedUser(ctx context.Context, tx Tx, c Client, id UserID) (User, error) {
	if err := tx.LockUser(ctx, c.ID, id); err != nil {
		return User{}, err
	}
	return findUser(ctx, tx, c, id)
}
