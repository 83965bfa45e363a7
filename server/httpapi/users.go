package httpapi

import (
	"context"

	"github.com/crossborder-payouts/payouts/gen/api"
	gen "github.com/crossborder-payouts/payouts/gen/server"
	"github.com/crossborder-payouts/payouts/server/payout"
)

// CreateUser implements POST /users.
func (h handlers) CreateUser(ctx context.Context, r gen.CreateUserRequestObject) (gen.CreateUserResponseObject, error) {
	key, registered := idempotency(ctx, r.Params.XIdempotencyKey), newUser(r.Body)
	registered.RequestID = callerOf(ctx).requestID
	forget(ctx, &r.Body.PhysicalDocuments)
	u, replayed, err := h.service.CreateUser(ctx, clientOf(ctx), key, registered)
	if err != nil {
		return nil, err
	}
	headers := gen.CreateUser200ResponseHeaders{IdempotentReplayed: optional(replayed)}
	return gen.CreateUser200JSONResponse{Body: user(u), Headers: headers}, nil
}

// GetUser implements GET /users/{user_id}.
func (h handlers) GetUser(ctx context.Context, r gen.GetUserRequestObject) (gen.GetUserResponseObject, error) {
	u, err := h.service.User(ctx, clientOf(ctx), payout.UserID(r.UserID.String()))
	if err != nil {
		return nil, err
	}
	return gen.GetUser200JSONResponse{Body: user(u)}, nil
}

// UpdateUser implements PATCH /users/{user_id}.
func (h handlers) UpdateUser(ctx context.Context, r gen.UpdateUserRequestObject) (gen.UpdateUserResponseObject, error) {
	u, err := h.service.UpdateUser(ctx, clientOf(ctx), payout.UserID(r.UserID.String()), updatedProfile(r.Body))
	if err != nil {
		return nil, err
	}
	return gen.UpdateUser200JSONResponse{Body: user(u)}, nil
}

// CreateDocuments implements POST /users/{user_id}/documents.
func (h handlers) CreateDocuments(
	ctx context.Context, r gen.CreateDocumentsRequestObject,
) (gen.CreateDocumentsResponseObject, error) {
	key, sent := idempotency(ctx, r.Params.XIdempotencyKey), documents(r.Body.PhysicalDocuments, r.Body.VirtualDocuments)
	forget(ctx, &r.Body.PhysicalDocuments)
	u, replayed, err := h.service.CreateDocuments(ctx, clientOf(ctx), key, payout.UserID(r.UserID.String()), sent)
	if err != nil {
		return nil, err
	}
	headers := gen.CreateDocuments200ResponseHeaders{IdempotentReplayed: optional(replayed)}
	return gen.CreateDocuments200JSONResponse{Body: user(u), Headers: headers}, nil
}

// GetCipInfo implements GET /users/{user_id}/cip-info.
func (h handlers) GetCipInfo(ctx context.Context, r gen.GetCipInfoRequestObject) (gen.GetCipInfoResponseObject, error) {
	info, err := h.service.CIPInfo(ctx, clientOf(ctx), payout.UserID(r.UserID.String()))
	if err != nil {
		return nil, err
	}
	return gen.GetCipInfo200JSONResponse{Body: cipInfo(info)}, nil
}

// SetVerification implements POST /sandbox/users/{user_id}/verification.
func (h handlers) SetVerification(
	ctx context.Context, r gen.SetVerificationRequestObject,
) (gen.SetVerificationResponseObject, error) {
	tags := make(map[string]payout.CIPStatus, len(r.Body.CipInfo))
	for tag, status := range r.Body.CipInfo {
		tags[tag] = payout.CIPStatus(status)
	}
	info, err := h.service.SetVerification(ctx, clientOf(ctx), payout.UserID(r.UserID.String()),
		payout.Verification{Status: payout.KYCStatus(text(r.Body.KycStatus)), Tags: tags})
	if err != nil {
		return nil, err
	}
	return gen.SetVerification200JSONResponse{Body: cipInfo(info)}, nil
}

// GetTransactionLimit implements GET /users/{user_id}/transaction-limit.
func (h handlers) GetTransactionLimit(
	ctx context.Context, r gen.GetTransactionLimitRequestObject,
) (gen.GetTransactionLimitResponseObject, error) {
	l, err := h.service.Limits(ctx, clientOf(ctx), payout.UserID(r.UserID.String()), r.Params.Destination)
	if err != nil {
		return nil, err
	}
	limit := api.TransactionLimit{Country: l.Destination, CurrentTier: int32(l.CurrentTier), UserID: toID(l.UserID)}
	if l.Currency != "" { // else the user cannot send, and nothing remains
		limit.RemainingLimit = api.RemainingLimit{
			AnnualLimit:  major(l.Annual, l.Currency),
			MonthlyLimit: major(l.Monthly, l.Currency),
			DailyLimit:   major(l.Daily, l.Currency),
		}
	}
	return gen.GetTransactionLimit200JSONResponse{Body: limit}, nil
}

func newUser(b *api.UserRequest) payout.User {
	u := payout.User{
		Business: b.Business != nil && *b.Business,
		Sending:  text(b.Type) == string(api.UserTypeSend),
		Country:  b.Country, ClientReference: text(b.ClientReference),
		Profile: payout.UserProfile{
			FirstName: b.FirstName, MiddleName: text(b.MiddleName), LastName: text(b.LastName), Email: b.Email, Gender: text(b.Gender),
			DateOfBirth: dateText(b.DateOfBirth), AddressLine1: text(b.AddressLine1), MobilePhone: text(b.MobilePhone),
			City: text(b.City), Zipcode: text(b.Zipcode), State: text(b.State), IPAddress: text(b.IPAddress), Occupation: text(b.Occupation),
			BusinessType: text(b.BusinessType), UserScope: text(b.UserScope), CompanyWebsite: text(b.CompanyWebsite),
			NumberOfEmployee: text(b.NumberOfEmployee), SourceOfFund: text(b.SourceOfFund), TxnFrequency: text(b.TxnFrequency),
			NoOfTxnPerMonth: text(b.NoOfTxnPerMonth),
		},
	}
	u.Profile.MailingAddress = mailingAddress(b.MailingAddress)
	u.Documents = documents(b.PhysicalDocuments, b.VirtualDocuments)
	return u
}

func updatedProfile(b *api.UserUpdateRequest) payout.UserProfile {
	return payout.UserProfile{
		FirstName: text(b.FirstName), MiddleName: text(b.MiddleName), LastName: text(b.LastName), Email: text(b.Email), Gender: text(b.Gender),
		DateOfBirth: dateText(b.DateOfBirth), AddressLine1: text(b.AddressLine1), MobilePhone: text(b.MobilePhone),
		City: text(b.City), Zipcode: text(b.Zipcode), State: text(b.State), IPAddress: text(b.IPAddress), Occupation: text(b.Occupation),
		BusinessType: text(b.BusinessType), UserScope: text(b.UserScope), CompanyWebsite: text(b.CompanyWebsite),
		NumberOfEmployee: text(b.NumberOfEmployee), SourceOfFund: text(b.SourceOfFund), TxnFrequency: text(b.TxnFrequency),
		NoOfTxnPerMonth: text(b.NoOfTxnPerMonth), MailingAddress: mailingAddress(b.MailingAddress),
	}
}

func mailingAddress(a *api.MailingAddressRequest) *payout.MailingAddress {
	if a == nil {
		return nil
	}
	return &payout.MailingAddress{
		Country: text(a.Country), City: text(a.City), AddressLine1: text(a.AddressLine1),
		AddressLine2: nullableText(a.AddressLine2), Zipcode: text(a.Zipcode), State: text(a.State),
	}
}

func documents(copies []api.PhysicalDocumentRequest, numbers []api.VirtualDocumentRequest) []payout.Document {
	var all []payout.Document
	for _, d := range copies {
		document := physical(d.DocumentType, d.DocumentValue)
		document.Country, document.State, document.ExpiryDate = text(d.Country), text(d.State), dateText(d.ExpiryDate)
		all = append(all, document)
	}
	for _, d := range numbers {
		all = append(all, payout.Document{
			Kind: payout.VirtualDocument, Type: d.DocumentType, Value: d.DocumentValue,
			ExpiryDate: dateText(d.ExpiryDate), IssuingAuthority: text(d.IDIssuingAuthority),
			Country: text(d.Country), State: text(d.State),
		})
	}
	return all
}

func user(u payout.User) api.User {
	p := u.Profile
	out := api.User{
		ID: toID(u.ID), CreatedAt: timestamp(u.CreatedAt), Status: api.KycStatus(u.Status), Business: u.Business,
		FirstName: p.FirstName, MiddleName: optional(p.MiddleName), LastName: optional(p.LastName), Email: p.Email, Gender: optional(p.Gender),
		DateOfBirth: optionalDate(p.DateOfBirth), AddressLine1: optional(p.AddressLine1),
		MobilePhone: optional(p.MobilePhone), City: optional(p.City), Zipcode: optional(p.Zipcode),
		State: optional(p.State), Country: u.Country, IPAddress: optional(p.IPAddress), Occupation: optional(p.Occupation),
		BusinessType: optional(p.BusinessType), UserScope: optional(p.UserScope), ClientReference: optional(u.ClientReference),
		CompanyWebsite: optional(p.CompanyWebsite), NumberOfEmployee: optional(p.NumberOfEmployee),
		SourceOfFund: optional(p.SourceOfFund), TxnFrequency: optional(p.TxnFrequency), NoOfTxnPerMonth: optional(p.NoOfTxnPerMonth),
	}
	if u.Sending {
		send := api.UserTypeSend
		out.Type = &send
	}
	if a := p.MailingAddress; a != nil {
		out.MailingAddress = &api.MailingAddress{
			Country: optional(a.Country), City: optional(a.City), AddressLine1: optional(a.AddressLine1),
			AddressLine2: nullableOf(a.AddressLine2), Zipcode: optional(a.Zipcode), State: optional(a.State),
		}
	}
	for _, d := range u.Documents {
		if d.Kind == payout.PhysicalDocument {
			out.PhysicalDocuments = append(out.PhysicalDocuments, api.PhysicalDocument{
				ID: toID(d.ID), DocumentType: d.Type, Country: optional(d.Country),
				ExpiryDate: optionalDate(d.ExpiryDate), State: optional(d.State),
			})
			continue
		}
		out.VirtualDocuments = append(out.VirtualDocuments, api.VirtualDocument{
			ID: toID(d.ID), DocumentType: d.Type, DocumentValue: d.Value, Country: optional(d.Country),
			ExpiryDate: optionalDate(d.ExpiryDate), State: optional(d.State),
			IDIssuingAuthority: optional(d.IssuingAuthority),
		})
	}
	return out
}

func cipInfo(info payout.CIPInfo) api.CipInfo {
	tags := make(map[string]api.CipStatus, len(info.Tags))
	for tag, status := range info.Tags {
		tags[tag] = api.CipStatus(status)
	}
	return api.CipInfo{CipInfo: tags, KycStatus: api.KycStatus(info.Status), UserID: toID(info.UserID)}
}
