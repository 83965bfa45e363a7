package mutants_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/server"
)

func userMutants() []mutant {
	all := append(registrationMutants(), kindMutants()...)
	all = append(all, documentMutants()...)
	all = slices.Concat(all, formMutants(), tidyMutants(), shortTextMutants(), corridorMutants())
	return append(all, mutant{
		name: "A person is read with new ids for the documents", by: "users.read",
		fault: answering("getUser", 200, func(_ request, a answer) answer {
			return a.object(func(user map[string]any) {
				for _, d := range documentsOf(user) {
					if user["business"] == false {
						d["id"] = uuid.NewString()
					}
				}
			})
		}),
	}, mutant{
		name: "Every user is read with the type SEND", by: "users.read-without-type",
		fault: answering("getUser", 200, func(_ request, a answer) answer {
			return a.object(func(user map[string]any) { user["type"] = "SEND" })
		}),
	}, mutant{name: "An unknown user is a bad request, to the first client", by: "users.unknown", fault: firstClientErrs("getUser")})
}

func registrationMutants() []mutant {
	return []mutant{
		{
			name: "A person without documents is VERIFIED at once", by: "users.registration.unverified",
			fault: answering("createUser", 200, func(_ request, a answer) answer {
				return a.object(func(user map[string]any) {
					if user["business"] == false && len(documentsOf(user)) == 0 {
						user["status"] = "VERIFIED"
					}
				})
			}),
		},
		{name: "An email address in capitals is that of the user who has it in small letters", by: "users.registration.new-id", fault: oneSpelling},
		{
			name: "created_at is the local time, said to be UTC", by: "users.registration.created-at",
			fault: wherever(func(user map[string]any) {
				const layout = "2006-01-02T15:04:05.000000"
				if at, err := time.Parse(layout, fmt.Sprint(user["created_at"])); err == nil {
					user["created_at"] = at.Add(5*time.Hour + 45*time.Minute).Format(layout)
				}
			}),
		},
		{
			name: "Everybody is VERIFIED at once", by: "users.registration.unverified",
			fault: wherever(func(user map[string]any) { user["status"] = "VERIFIED" }),
		},
		{
			name: "A sending user in another country is a bad request", by: "users.registration.corridor",
			fault: answering("createUser", 422, func(_ request, a answer) answer { return a.failure(400, "BAD_REQUEST") }),
		},
		{
			name: "A user without sending capability is not registered in a destination", by: "users.registration.without-corridor",
			fault: answering("createUser", 200, func(r request, a answer) answer {
				if r.member("type") == nil && r.member("country") == "NP" {
					return a.failure(422, "CORRIDOR_NOT_ENABLED")
				}
				return a
			}),
		},
		{
			name: "SEND is the default of type", by: "users.registration.without-type",
			fault: answering("createUser", 200, func(_ request, a answer) answer {
				return a.object(func(user map[string]any) { user["type"] = "SEND" })
			}),
		},
		{
			name: "A user without documents has empty lists of them", by: "users.registration.absent-fields",
			fault: wherever(func(user map[string]any) {
				for _, name := range []string{"physical_documents", "virtual_documents"} {
					if user[name] == nil {
						user[name] = []any{}
					}
				}
			}),
		},
		{
			name: "Names lose what is beyond the basic plane", by: "users.registration.any-script",
			fault: registering(func(user map[string]any) {
				for _, name := range []string{"first_name", "last_name"} {
					if text, ok := user[name].(string); ok {
						user[name] = strings.Map(inBasicPlane, text)
					}
				}
			}),
		},
		{
			name: "Web sites are cut to 255 characters", by: "users.registration.longest",
			fault: registering(func(user map[string]any) {
				if site, ok := user["company_website"].(string); ok && len(site) > 255 && len(site) <= 2048 {
					user["company_website"] = site[:255]
				}
			}),
		},
	}
}

// oneSpelling remembers each email address as it was first written, and the user that it was registered for.
func oneSpelling() fault {
	type registration struct {
		email any
		user  []byte
	}
	var known sync.Map // by email address in small letters
	return func(op string, r request, next func(request) answer) answer {
		a := next(r)
		if op != "createUser" || a.status != 200 {
			return a
		}
		email := a.member("email")
		first, there := known.LoadOrStore(strings.ToLower(fmt.Sprint(email)), registration{email, a.body})
		if there && first.(registration).email != email {
			a.body = first.(registration).user
		}
		return a
	}
}

func inBasicPlane(r rune) rune {
	if r > 0xFFFF {
		return '\uFFFD'
	}
	return r
}

func kindMutants() []mutant {
	return []mutant{
		{
			name: "The gender is not answered", by: "users.individual.all-fields",
			fault: answering("createUser", 200, func(_ request, a answer) answer {
				return a.object(func(user map[string]any) { delete(user, "gender") })
			}),
		},
		{
			name: "A person is answered as a business", by: "users.individual.business-false",
			fault: wherever(func(user map[string]any) { user["business"] = true }),
		},
		{
			name: "The user_scope is ignored where business is left out", by: "users.individual.business-fields",
			fault: registering(func(user map[string]any) {
				if _, sent := user["business"]; !sent {
					ignored(user, "user_scope", token)
				}
			}),
		},
		{
			name: "The number of employees is not answered", by: "users.business.all-fields",
			fault: wherever(func(user map[string]any) { delete(user, "number_of_employee") }),
		},
		{
			name: "The documents of a business are not kept", by: "users.business.documents",
			fault: wherever(func(user map[string]any) {
				if user["business"] == true {
					delete(user, "physical_documents")
					delete(user, "virtual_documents")
				}
			}),
		},
		{
			name: "The gender of a business is ignored", by: "users.business.individual-fields",
			fault: registering(func(user map[string]any) {
				if user["business"] == true {
					ignored(user, "gender", token)
				}
			}),
		},
		{
			name: "Null is taken for absent in a mailing address", by: "users.business.address-line2",
			fault: asking("createUser", func(r request) request {
				if r.key() != "" { // fingerprints are another rule
					return r
				}
				return r.as(func(user map[string]any) {
					if address, ok := user["mailing_address"].(map[string]any); ok && address["address_line2"] == nil {
						delete(address, "address_line2")
					}
				})
			}),
		},
	}
}

// token is the form of the open sets (D-12).
var token = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,63}$`)

// ignored takes a member away whose value is well-formed.
func ignored(body map[string]any, name string, form *regexp.Regexp) {
	if text, ok := body[name].(string); ok && form.MatchString(text) {
		delete(body, name)
	}
}

func documentMutants() []mutant {
	answered := func(member, field string) func() fault {
		return answering("createUser", 200, func(_ request, a answer) answer {
			return a.object(func(user map[string]any) {
				for _, d := range each(user[member]) {
					delete(d.(map[string]any), field)
				}
			})
		})
	}
	replaced := func(replace func(content string) string) func() fault {
		return registering(func(user map[string]any) {
			for _, d := range each(user["physical_documents"]) {
				if object, ok := d.(map[string]any); ok {
					if content, ok := object["document_value"].(string); ok {
						object["document_value"] = replace(content)
					}
				}
			}
		})
	}
	return []mutant{
		{
			name: "The day on which a copy expires is not answered", by: "users.physical-documents.all-fields",
			fault: answered("physical_documents", "expiry_date"),
		},
		{
			name: "All copies of a user have one id", by: "users.physical-documents.all-fields",
			fault: wherever(func(user map[string]any) { sameID(each(user["physical_documents"])) }),
		},
		{
			name: "A user is read with the content of the copies",
			by:   "users.physical-documents.content-hidden", fault: contentAnswered,
		},
		{
			name: "The content of copies is answered as the number of a document", by: "users.physical-documents.content-hidden",
			fault: answering("createUser", 200, func(r request, a answer) answer {
				return a.object(func(user map[string]any) {
					if copies := each(r.member("physical_documents")); len(copies) > 0 && user["virtual_documents"] == nil {
						for _, d := range copies {
							d.(map[string]any)["id"] = uuid.NewString()
						}
						user["virtual_documents"] = copies
					}
				})
			}),
		},
		{
			name: "Drawings are refused as copies", by: "users.physical-documents.media-types",
			fault: answering("createUser", 200, func(r request, a answer) answer {
				if strings.Contains(string(r.body), "data:image/svg") {
					return a.failure(400, "BAD_REQUEST")
				}
				return a
			}),
		},
		{
			name: "A copy has at most 64 KiB", by: "users.physical-documents.large",
			fault: answering("createUser", 200, func(r request, a answer) answer {
				for _, d := range objects(r.member("physical_documents")) {
					if len(text(d["document_value"])) > 64<<10 {
						return a.failure(400, "BAD_REQUEST")
					}
				}
				return a
			}),
		},
		{
			name: "Archives are accepted as copies", by: "users.physical-documents.other-media",
			fault: replaced(func(content string) string {
				return strings.Replace(content, "data:application/zip;", "data:application/pdf;", 1)
			}),
		},
		{
			name: "Characters that base64 does not know are taken for zeros", by: "users.physical-documents.broken-content",
			fault: replaced(func(content string) string {
				head, data, found := strings.Cut(content, ";base64,")
				if !found {
					return content
				}
				return head + ";base64," + notBase64.ReplaceAllString(data, "A")
			}),
		},
		{
			name: "The authority that issued a document is not answered", by: "users.virtual-documents.all-fields",
			fault: answered("virtual_documents", "id_issuing_authority"),
		},
		{
			name: "All document numbers of a user have one id", by: "users.virtual-documents.all-fields",
			fault: wherever(func(user map[string]any) { sameID(each(user["virtual_documents"])) }),
		},
	}
}

var notBase64 = regexp.MustCompile(`[^A-Za-z0-9+/=]`)

// contentAnswered remembers the copies of each registration.
func contentAnswered() fault {
	var copies sync.Map // documents as they were sent, by the id that they were given
	return func(op string, r request, next func(request) answer) answer {
		a := next(r)
		if a.status != 200 || (op != "createUser" && op != "getUser") {
			return a
		}
		given := each(a.member("physical_documents"))
		if op == "createUser" {
			for i, sent := range each(r.member("physical_documents")) {
				copies.Store(given[i].(map[string]any)["id"], sent)
			}
			return a
		}
		return a.object(func(user map[string]any) {
			for _, d := range each(user["physical_documents"]) {
				if sent, ok := copies.Load(d.(map[string]any)["id"]); ok {
					maps.Copy(d.(map[string]any), sent.(map[string]any))
				}
			}
		})
	}
}

// registering changes the body of registrations.
func registering(edit func(user map[string]any)) func() fault {
	return asking("createUser", func(r request) request { return r.as(edit) })
}

// wherever changes the user in both operations that answer one.
func wherever(edit func(user map[string]any)) func() fault {
	return stateless(func(op string, r request, next func(request) answer) answer {
		a := next(r)
		if (op == "createUser" || op == "getUser") && a.status == 200 {
			return a.object(edit)
		}
		return a
	})
}

// firstClientErrs answers 400 instead of 404 about unknown users, to one client by: what the other one learns of them is a
// rule of its own.
func firstClientErrs(id string) func() fault {
	return stateless(func(op string, r request, next func(request) answer) answer {
		a := next(r)
		if op == id && a.status == 404 && r.client() == server.SandboxClients[0].ID && look(r, next, "").status == 404 {
			return a.failure(400, "BAD_REQUEST")
		}
		return a
	})
}

// documentsOf gives the documents of a user, of both forms.
func documentsOf(user map[string]any) (all []map[string]any) {
	for _, name := range []string{"physical_documents", "virtual_documents"} {
		for _, d := range each(user[name]) {
			all = append(all, d.(map[string]any))
		}
	}
	return all
}

// sameID gives all elements the id of the first one.
func sameID(list []any) {
	for _, element := range list {
		element.(map[string]any)["id"] = list[0].(map[string]any)["id"]
	}
}
