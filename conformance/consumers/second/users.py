"""Users: registration, further information (D-72), and verification."""

from uuid import uuid4

from .model import User, is_met, new
from .wire import bad_request, escape, now, refused, timestamp

BOTH_KINDS = {
    "first_name": "FIRST_NAME",
    "email": "EMAIL",
    "date_of_birth": "DATE_OF_BIRTH",
    "address_line1": "ADDRESS_LINE1",
    "mobile_phone": "PHONE_NUMBER",
    "city": "CITY",
    "zipcode": "ZIP_CODE",
    "state": "STATE",
    "country": "COUNTRY",
}
INDIVIDUAL = {
    "middle_name": "MIDDLE_NAME",
    "last_name": "LAST_NAME",
    "gender": "GENDER",
    "ip_address": "IP_ADDRESS",
    "occupation": "OCCUPATION",
}
BUSINESS = {
    "business_type": "COMPANY_TYPE",
    "user_scope": "NATURE_OF_BUSINESS",
    "company_website": "COMPANY_WEBSITE",
    "number_of_employee": "NO_OF_EMPLOYEE",
    "source_of_fund": "SOURCE_OF_FUND",
    "txn_frequency": "TXN_FREQUENCY",
    "no_of_txn_per_month": "NO_OF_TXN_PER_MONTH",
    "mailing_address": "MAILING_ADDRESS",
}
# From members to tags, by User.is_business.
FIELDS = {False: {**BOTH_KINDS, **INDIVIDUAL}, True: {**BOTH_KINDS, **BUSINESS}}
# All tags of a kind (section 2.7).
TAGS = {
    False: {*FIELDS[False].values(), "ID_DOC"},
    True: {*FIELDS[True].values(), *"EIN_NUMBER ACCOUNT_OPERATOR_INFO CERTIFICATE_OF_INCORPORATION EIN_DOC".split()},
}
DOCUMENTS = ("physical_documents", "virtual_documents")
MAX_DOCUMENTS = 100
# Tags that the value which the user has already leaves alone.
SETTLED = ("SUBMIT", "REVIEWING", "VERIFIED")


class Users:
    def check_user(self, body, is_business):
        """Individuals and businesses have different fields, and countries and dates of birth must exist (D-13, D-61)."""
        wrong = [name for name in INDIVIDUAL if name != "ip_address"] if is_business else BUSINESS
        kind = "a business" if is_business else "an individual"
        yield from (("body", f"/{name}", f"is not a field of {kind}") for name in wrong if name in body)
        places = {"": body, "/mailing_address": body.get("mailing_address", {})}
        for documents in DOCUMENTS:
            places.update({f"/{documents}/{i}": document for i, document in enumerate(body.get(documents, []))})
        for place, value in places.items():
            if value.get("country", "US") not in self.reference.numeric:
                yield "body", f"{place}/country", "must be a country of ISO 3166-1"
        if not "1900-01-01" <= body.get("date_of_birth", "1900-01-01") <= timestamp(now())[:10]:
            yield "body", "/date_of_birth", "must be from 1900-01-01 to today"

    def create_user(self, call):
        body = call.body
        if body.get("type") == "SEND" and body["country"] not in call.client.corridors:
            reason = "must be an enabled originating country for a sending user"
            raise refused("CORRIDOR_NOT_ENABLED", "/country", reason)
        is_business = body.get("business", False)
        members = {name: value for name, value in body.items() if name not in DOCUMENTS}
        user = User({**new(), "status": "UNVERIFIED", "business": is_business, **members}, is_business)
        fields = FIELDS[is_business]
        user.set_tags({fields[name]: "SUBMIT" for name in body if name in fields})
        self._add_documents(user, body)
        call.client.users[user.view["id"]] = user
        return user.view

    def update_user(self, call):
        user, body = call.user(), call.body
        wrong = list(self.check_user(body, user.is_business))
        if body.get("mailing_address") == {}:
            wrong.append(("body", "/mailing_address", "must have a member"))
        if wrong:
            raise bad_request(*wrong)
        fields = FIELDS[user.is_business]
        changed = {name for name, value in body.items() if user.view.get(name) != value}
        verified = [name for name in body if name in changed and user.tags.get(fields.get(name)) == "VERIFIED"]
        if verified:
            details = [(f"/{name}", f"must be the present value, because {fields[name]} is VERIFIED") for name in verified]
            raise refused("INFORMATION_VERIFIED", details=details)
        tags = {
            fields[name]: "SUBMIT"
            for name in body
            if name in fields and (name in changed or user.tags.get(fields[name]) not in SETTLED)
        }
        user.view.update(body)
        kinds = user.set_tags(tags)
        self._informed(call, user, kinds or (["user.information_changed"] if changed else []))
        return user.view

    def create_documents(self, call):
        user, body = call.user(), call.body
        wrong = list(self.check_user(body, user.is_business))
        if not any(body.get(kind) for kind in DOCUMENTS):
            wrong.append(("body", "/physical_documents", "must have a document, or virtual_documents must"))
        if wrong:
            raise bad_request(*wrong)
        sent = [(kind, i, document) for kind in DOCUMENTS for i, document in enumerate(body.get(kind, []))]
        tags = {(kind, i): document_tag(user.is_business, kind, document["document_type"]) for kind, i, document in sent}
        verified = {place: tag for place, tag in tags.items() if user.tags.get(tag) == "VERIFIED"}
        if verified:
            details = [(f"/{kind}/{i}", f"must not be sent, because {tag} is VERIFIED") for (kind, i), tag in verified.items()]
            raise refused("INFORMATION_VERIFIED", details=details)
        if sum(len(user.view.get(kind, [])) for kind in DOCUMENTS) + len(sent) > MAX_DOCUMENTS:
            reason = f"must leave the user with at most {MAX_DOCUMENTS} documents"
            raise refused("TOO_MANY_DOCUMENTS", details=[(f"/{kind}", reason) for kind in DOCUMENTS if body.get(kind)])
        self._add_documents(user, body)
        self._informed(call, user, ["user.information_changed"])
        return user.view

    def _add_documents(self, user, body):
        """Adds the documents of a request, and submits their tags."""
        for kind in DOCUMENTS:
            for document in body.get(kind, []):
                known = {name: value for name, value in document.items() if (kind, name) != (DOCUMENTS[0], "document_value")}
                user.view.setdefault(kind, []).append({"id": str(uuid4()), **known})
                if tag := document_tag(user.is_business, kind, document["document_type"]):
                    user.set_tags({tag: "SUBMIT"})

    def _informed(self, call, user, kinds):
        for kind in kinds:
            self.emit(call.client, kind, user=user.view, cip_info=user.cip_info)

    def get_user(self, call):
        return call.user().view

    def list_users(self, call):
        wanted = {name: call.values[name] for name in ("email", "status", "client_reference") if name in call.values}
        users = [user.view for user in call.client.users.values()]
        return call.newest_first(call.client, users, lambda view: is_met(view, wanted))

    def get_cip_info(self, call):
        return call.user().cip_info

    def set_verification(self, call):
        user = call.user()
        tags = call.body.get("cip_info", {})
        foreign = [tag for tag in tags if tag not in TAGS[user.is_business]]
        if foreign:
            raise bad_request(*[("body", f"/cip_info/{escape(tag)}", "is not a tag of this kind of user") for tag in foreign])
        status = call.body.get("kyc_status", user.view["status"])
        kinds = ["user.status_changed"] if status != user.view["status"] else []
        user.view["status"] = status
        self._informed(call, user, user.set_tags(tags) + kinds)
        return user.cip_info


def document_tag(is_business, kind, document_type):
    if not is_business:
        return None if document_type == "INVOICE" else "ID_DOC"
    if document_type in ("STATE_ID", "PASSPORT", "SSN"):
        return "ACCOUNT_OPERATOR_INFO"
    if kind == "virtual_documents":
        return "EIN_NUMBER" if document_type == "EIN_NUMBER" else None
    return {"EIN": "EIN_DOC", "CERTIFICATE_OF_INCORPORATION": "CERTIFICATE_OF_INCORPORATION"}.get(document_type)
