package mutants_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"
)

func userMutants() []mutant {
	return slices.Concat(registrationMutants(), documentMutants(), formMutants())
}

func registrationMutants() []mutant {
	return []mutant{
		{name: "An email address in capitals is that of the user who has it in small letters", by: "users.registration.new-id", fault: oneSpelling},
		{
			name: "created_at is the local time, said to be UTC", by: "users.registration.created-at",
			fault: wherever(func(user map[string]any) {
				user["created_at"] = inNepal(user["created_at"])
			}),
		},
		{
			name: "A user without sending capability is not registered in a destination", by: "users.registration.without-corridor",
			fault: answering("createUser", 200, func(r request, a answer) answer {
				if r.member("type") == nil && r.member("country") == sandboxDestination {
					a = a.failure(422, "CORRIDOR_NOT_ENABLED")
				}
				return a
			}),
		},
		{
			name: "A user is registered to send from a destination, and may not", by: "users.registration.destination",
			fault: accepting("createUser", "CORRIDOR_NOT_ENABLED", func(r request, body map[string]any, _ func(path string) any) bool {
				delete(body, "type")
				return r.text("country") == sandboxDestination
			}),
		},
		{
			name: "The user_scope is ignored where business is left out", by: "users.individual.business-fields",
			fault: registering(func(user map[string]any) {
				if _, sent := user["business"]; !sent && token.MatchString(text(user["user_scope"])) {
					delete(user, "user_scope")
				}
			}),
		},
		{
			name: "The gender of a business is ignored", by: "users.business.individual-fields",
			fault: registering(func(user map[string]any) {
				if user["business"] == true && token.MatchString(text(user["gender"])) {
					delete(user, "gender")
				}
			}),
		},
	}
}

// The originating corridor and the destination that the suite uses of the sandbox.
const sandboxOrigin, sandboxDestination = "US", "NP"

// token is the form of the open sets (D-12).
var token = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,63}$`)

// oneSpelling remembers each email address as it was first written, and the user that it was registered for.
func oneSpelling() fault {
	type registration struct {
		email any
		user  []byte
	}
	var known sync.Map // by email address in small letters
	return func(op string, r request, next ask) answer {
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

func documentMutants() []mutant {
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
			fault: narrow("createUser", func(r request) bool { return strings.Contains(string(r.body), "data:image/svg") }),
		},
		{
			name: "A copy has at most 64 KiB", by: "users.physical-documents.large",
			fault: narrow("createUser", func(r request) bool { return len(r.body) > 64<<10 }),
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
	}
}

var notBase64 = regexp.MustCompile(`[^A-Za-z0-9+/=]`)

// registering changes the body of registrations.
func registering(edit func(user map[string]any)) func() fault {
	return asking("createUser", func(r request) request { return r.as(edit) })
}

// wherever changes the user in both operations that answer one.
func wherever(edit func(user map[string]any)) func() fault {
	return stateless(func(op string, r request, next ask) answer {
		a := next(r)
		if (op == "createUser" || op == "getUser") && a.status == 200 {
			return a.object(edit)
		}
		return a
	})
}

// narrow refuses requests that would be accepted, if they are such.
func narrow(id string, such func(r request) bool) func() fault {
	return answering(id, http.StatusOK, func(r request, a answer) answer {
		if such(r) {
			a = a.failure(http.StatusBadRequest, "BAD_REQUEST")
		}
		return a
	})
}

// formMutants know fewer forms than the contract, of users and of receive users.
func formMutants() []mutant {
	without := func(name, sign string) func(r request) bool {
		return func(r request) bool { return strings.Contains(r.text(name), sign) }
	}
	var all []mutant
	for _, of := range [][2]string{{"createUser", "users.registration."}, {"createReceiveUser", "accounts.receive-users."}} {
		id, group := of[0], of[1]
		for _, m := range []struct {
			check, name string
			such        func(r request) bool
		}{
			{"emails", "an email address with a plus sign", without("email", "+")},
			{"emails", "an email address with an apostrophe", without("email", "'")},
		} {
			all = append(all, mutant{name: id + " refuses " + m.name, by: group + m.check, fault: narrow(id, m.such)})
		}
	}
	return append(all, []mutant{
		{name: "Email addresses are kept in small letters", by: "users.registration.email-case", fault: wherever(func(user map[string]any) {
			user["email"] = strings.ToLower(text(user["email"]))
		})},
		{name: "Zip codes lose their leading zeros", by: "users.registration.zipcode", fault: registering(func(user map[string]any) {
			if code, ok := user["zipcode"].(string); ok {
				user["zipcode"] = strings.TrimLeft(code, "0")
			}
		})},
		{name: "createUser refuses an IPv6 address", by: "users.registration.ipv6", fault: narrow("createUser", without("ip_address", ":"))},
		{
			name: "createUser refuses a website without a scheme", by: "users.business.any-website",
			fault: narrow("createUser", func(r request) bool {
				site := r.text("company_website")
				return site != "" && !strings.Contains(site, "://")
			}),
		},
	}...)
}
