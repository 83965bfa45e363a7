package mutants_test

import "slices"

func informationMutants() []mutant {
	// updating stands round further information that was accepted; before is the user as it was.
	updating := func(round func(r request, next ask, before answer, send func() answer) answer) func() fault {
		return stateless(func(op string, r request, next ask) answer {
			send := func() answer { return next(r) }
			if op != "updateUser" {
				return send()
			}
			return round(r, next, look(r, next, ""), send)
		})
	}
	oneDetail := func(id string) func() fault {
		return answering(id, 422, func(_ request, a answer) answer {
			return a.object(func(body map[string]any) {
				if all := objects(body["details"]); len(all) > 1 {
					body["details"] = all[:1]
				}
			})
		})
	}
	return []mutant{
		broken("A change of the city forgets the zip code", "information.update.only-sent", asking("updateUser", func(r request) request {
			return r.as(func(body map[string]any) {
				if body["city"] != nil && body["zipcode"] == nil {
					body["zipcode"] = "00000"
				}
			})
		})),
		broken("A changed email address stays REVIEWING", "information.update.tags", stateless(func(op string, r request, next ask) answer {
			if op != "updateUser" || r.member("email") == nil {
				return next(r)
			}
			before, a := look(r, next, "/cip-info").member("cip_info", "EMAIL"), next(r)
			if a.status == 200 && before == "REVIEWING" {
				setTags(r, next, "REVIEWING", "EMAIL")
			}
			return a
		})),
		broken("A value that is sent again is no longer REVIEWING", "information.update.same-value", stateless(func(op string, r request, next ask) answer {
			if op != "updateUser" {
				return next(r)
			}
			before, a := tagsWith(look(r, next, "/cip-info"), "REVIEWING"), next(r)
			if a.status == 200 && len(before) > 0 {
				setTags(r, next, "SUBMIT", before...)
			}
			return a
		})),
		broken("A value that is sent again does not answer REQUESTED", "information.update.same-value", stateless(func(op string, r request, next ask) answer {
			if op != "updateUser" {
				return next(r)
			}
			before, a := tagsWith(look(r, next, "/cip-info"), "REQUESTED"), next(r)
			if a.status == 200 && len(before) > 0 {
				setTags(r, next, "REQUESTED", before...)
			}
			return a
		})),
		broken("One of the members that are VERIFIED is named", "information.update.verified", oneDetail("updateUser")),
		broken("A city that is VERIFIED can change, and is then not VERIFIED", "information.update.verified",
			updating(func(r request, next ask, _ answer, send func() answer) answer {
				a := send()
				if a.code() == "INFORMATION_VERIFIED" && r.member("city") != nil {
					setTags(r, next, "SUBMIT", "CITY")
					a = send()
				}
				return a
			})),
		broken("A member of a business is ignored for an individual", "information.update.rules",
			updating(func(r request, next ask, before answer, _ func() answer) answer {
				if before.member("business") == false {
					r = r.as(func(body map[string]any) { delete(body, "company_website") })
				}
				return next(r)
			})),
		broken("A member that is sent as null stays as it is", "information.update.fixed", asking("updateUser", func(r request) request {
			return r.as(func(body map[string]any) {
				for name, value := range body {
					if value == nil {
						delete(body, name)
					}
				}
			})
		})),
		broken("A part of a mailing address changes that part", "information.update.mailing-address",
			updating(func(r request, next ask, before answer, _ func() answer) answer {
				return next(r.as(func(body map[string]any) {
					sent, isObject := body["mailing_address"].(map[string]any)
					was, _ := before.member("mailing_address").(map[string]any)
					for name, value := range was {
						if _, there := sent[name]; isObject && !there {
							sent[name] = value
						}
					}
				}))
			})),
		broken("The user is written as it was read before", "information.update.concurrent",
			updating(func(r request, next ask, before answer, send func() answer) answer {
				a := send()
				if a.status == 200 {
					next(r.as(func(body map[string]any) {
						for _, name := range []string{"city", "zipcode", "state", "last_name", "gender", "mobile_phone", "address_line1", "date_of_birth", "email"} {
							if was := before.member(name); was != nil && body[name] == nil {
								body[name] = was
							}
						}
					}))
				}
				return a
			})),
		broken("A date of birth is judged before the user is looked up", "information.update.rules",
			answering("updateUser", 404, func(r request, a answer) answer {
				if text(r.member("date_of_birth")) > "1" && text(r.member("date_of_birth")) < "1900" {
					return a.failure(400, "BAD_REQUEST")
				}
				return a
			})),
		broken("Documents are counted before the user is looked up", "information.documents.refused",
			answering("createDocuments", 404, func(r request, a answer) answer {
				if objects(r.member("physical_documents")) == nil && objects(r.member("virtual_documents")) == nil {
					return a.failure(400, "BAD_REQUEST")
				}
				return a
			})),
		broken("The occupation of a business is ignored", "information.registration", registering(func(user map[string]any) {
			if user["business"] == true {
				delete(user, "occupation")
			}
		})),
		broken("How often a business sends is not answered", "information.registration", wherever(func(user map[string]any) {
			delete(user, "txn_frequency")
		})),
		broken("A transaction waits for an occupation, which cannot be sent", "information.held", narrow("updateUser", func(r request) bool {
			return r.member("occupation") != nil
		})),
		broken("A source of funds that is sent is still REQUESTED", "information.held",
			after(func(op string, r request, a answer, next ask) answer {
				if op == "updateUser" && a.status == 200 && r.member("source_of_fund") != nil {
					setTags(r, next, "REQUESTED", "SOURCE_OF_FUND")
				}
				return a
			})),
		broken("Further documents come before the others", "information.documents.added", returning("createDocuments", func(_ request, u map[string]any) {
			all := objects(u["virtual_documents"])
			slices.Reverse(all)
			if len(all) > 0 {
				u["virtual_documents"] = all
			}
		})),
		broken("An EIN_NUMBER that is sent later becomes no tag", "information.documents.added",
			after(func(op string, r request, a answer, next ask) answer {
				if op == "createDocuments" && a.status == 200 {
					for _, d := range objects(r.member("virtual_documents")) {
						if d["document_type"] == "EIN_NUMBER" {
							setTags(r, next, "FAILED", "EIN_NUMBER")
						}
					}
				}
				return a
			})),
		broken("One of the documents that are VERIFIED is named", "information.documents.verified", oneDetail("createDocuments")),
		broken("The hundredth document is one too many", "information.documents.most", answering("createDocuments", 200, func(_ request, a answer) answer {
			if len(objects(a.member("physical_documents")))+len(objects(a.member("virtual_documents"))) == 100 {
				return a.failure(422, "TOO_MANY_DOCUMENTS")
			}
			return a
		})),
		broken("A request without documents answers the user", "information.documents.refused",
			after(func(op string, r request, a answer, next ask) answer {
				if op == "createDocuments" && a.status == 400 && objects(r.member("physical_documents")) == nil && objects(r.member("virtual_documents")) == nil {
					return look(r, next, "")
				}
				return a
			})),
	}
}
