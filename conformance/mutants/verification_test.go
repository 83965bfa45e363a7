package mutants_test

import (
	"net/http"
)

func verificationMutants() []mutant {
	// reported changes the tags of a user, as they are reported.
	reported := func(edit func(tags map[string]any)) func() fault {
		return returning("getCipInfo", func(_ request, info map[string]any) { edit(info["cip_info"].(map[string]any)) })
	}
	forgotten := func(tag string) func() fault {
		return reported(func(tags map[string]any) {
			if tags[tag] == "SUBMIT" {
				delete(tags, tag)
			}
		})
	}
	return []mutant{
		broken("The IP address becomes no tag", "verification.individual-tags", forgotten("IP_ADDRESS")),
		broken("The website of a business becomes no tag", "verification.business-tags", forgotten("COMPANY_WEBSITE")),
		broken("A number of a document is none where there is no copy", "verification.document-tags",
			after(func(op string, r request, a answer, next ask) answer {
				if op != "getCipInfo" || a.status != 200 {
					return a
				}
				if user := look(r, next, ""); user.member("virtual_documents") == nil || user.member("physical_documents") != nil {
					return a
				}
				return a.object(func(info map[string]any) {
					tags := info["cip_info"].(map[string]any)
					delete(tags, "ID_DOC")
					delete(tags, "ACCOUNT_OPERATOR_INFO")
				})
			})),
		broken("A zip code that nobody submitted is reported", "verification.submitted-only", reported(func(tags map[string]any) {
			if tags["ZIP_CODE"] == nil {
				tags["ZIP_CODE"] = "SUBMIT"
			}
		})),
		broken("The IP address of a business becomes a tag", "verification.fields-without-tag",
			after(func(op string, r request, a answer, next ask) answer {
				if op != "getCipInfo" || a.status != 200 {
					return a
				}
				if user := look(r, next, ""); user.member("business") != true || user.member("ip_address") == nil {
					return a
				}
				return a.object(func(info map[string]any) { info["cip_info"].(map[string]any)["IP_ADDRESS"] = "SUBMIT" })
			})),
		broken("Any document EIN of a business is its copy", "verification.documents-by-form",
			tagging("virtual_documents", func(kind string) string { return map[string]string{"EIN": "EIN_DOC"}[kind] })),
		broken("The copy of a certificate may be its number", "verification.documents-by-form",
			tagging("virtual_documents", func(kind string) string {
				return map[string]string{"CERTIFICATE_OF_INCORPORATION": kind}[kind]
			})),
		broken("A copy of the EIN_NUMBER of a business submits the number", "verification.documents-by-form",
			tagging("physical_documents", func(kind string) string { return map[string]string{"EIN_NUMBER": kind}[kind] })),
		broken("Any other copy that a business sends is of its operator", "verification.other-documents", tagging("physical_documents", ofOperator)),
		broken("Any other number that a business sends is of its operator", "verification.other-documents", tagging("virtual_documents", ofOperator)),
		broken("A tag of businesses cannot be REVIEWING", "verification.all-tags",
			answering("setVerification", 200, func(r request, a answer) answer {
				if r.member("cip_info", "NO_OF_TXN_PER_MONTH") == "REVIEWING" {
					return a.failure(400, "BAD_REQUEST")
				}
				return a
			})),
		broken("The tag LAST_NAME is ignored for a business", "verification.other-tags", after(func(op string, r request, a answer, next ask) answer {
			if op == "setVerification" && a.status == 400 && r.member("cip_info", "LAST_NAME") != nil {
				return next(r.as(func(body map[string]any) { delete(body["cip_info"].(map[string]any), "LAST_NAME") }))
			}
			return a
		})),
		broken("A tag that is set ends a suspension", "verification.partial", stateless(func(op string, r request, next ask) answer {
			if op == "setVerification" && r.member("kyc_status") == nil && look(r, next, "/cip-info").member("kyc_status") == "SUSPENDED" {
				r = r.as(func(body map[string]any) { body["kyc_status"] = "IN PROGRESS" })
			}
			return next(r)
		})),
		broken("A status that is set makes the tags REVIEWING that were FAILED", "verification.partial",
			after(func(op string, r request, a answer, next ask) answer {
				if op == "setVerification" && a.status == 200 && r.member("cip_info") == nil {
					setTags(r, next, "REVIEWING", tagsWith(a, "FAILED")...)
				}
				return a
			})),
		broken("A user that becomes IN PROGRESS has its submitted tags REVIEWING", "verification.partial",
			after(func(op string, r request, a answer, next ask) answer {
				if op == "setVerification" && a.status == 200 && r.member("kyc_status") == "IN PROGRESS" {
					setTags(r, next, "REVIEWING", tagsWith(a, "SUBMIT")...)
				}
				return a
			})),
		broken("A user whose tags are all VERIFIED becomes VERIFIED", "verification.partial",
			after(func(op string, r request, a answer, next ask) answer {
				tags, _ := a.member("cip_info").(map[string]any)
				if op == "setVerification" && a.status == 200 && a.member("kyc_status") == "UNVERIFIED" && len(tagsWith(a, "VERIFIED")) == len(tags) {
					r = r.to(http.MethodPost, r.URL.Path)
					r.body = encode(map[string]any{"kyc_status": "VERIFIED"})
					next(r)
				}
				return a
			})),
		broken("The verification answers the tags as they were before", "verification.answer", stateless(func(op string, r request, next ask) answer {
			if op != "setVerification" {
				return next(r)
			}
			before, a := look(r, next, "/cip-info").member("cip_info"), next(r)
			if a.status == 200 {
				a = a.object(func(info map[string]any) { info["cip_info"] = before })
			}
			return a
		})),
		broken("The verification answers the tags alone that were sent", "verification.answer",
			returning("setVerification", func(r request, info map[string]any) {
				if sent, ok := r.member("cip_info").(map[string]any); ok && len(sent) > 0 {
					info["cip_info"] = sent
				}
			})),
	}
}

// tagging adds a tag to a business for each document of a form whose type has one.
func tagging(form string, tag func(kind string) string) func() fault {
	return stateless(func(op string, r request, next ask) answer {
		a := next(r)
		if op != "getCipInfo" || a.status != 200 {
			return a
		}
		user := look(r, next, "")
		if user.member("business") != true {
			return a
		}
		return a.object(func(info map[string]any) {
			tags := info["cip_info"].(map[string]any)
			for _, d := range objects(user.member(form)) {
				if more := tag(text(d["document_type"])); more != "" && tags[more] == nil {
					tags[more] = "SUBMIT"
				}
			}
		})
	})
}

// ofOperator takes every type of document that has no tag for one of the operator.
func ofOperator(kind string) string {
	switch kind {
	case "INVOICE", "EIN", "EIN_NUMBER", "CERTIFICATE_OF_INCORPORATION":
		return ""
	}
	return "ACCOUNT_OPERATOR_INFO"
}
