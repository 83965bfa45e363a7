"""Runs a payout of each method with the client that openapi-generator generates for Python."""

import os
import sys
from decimal import Decimal
from typing import Callable, TypeVar
from uuid import UUID, uuid4

import payouts
from payouts import (
    BankAccountRequest,
    BankDepositTo,
    CalculationModeRequest,
    CashPickupTo,
    Error,
    FundingAccountRequest,
    FundingAccountStatusRequest,
    HomeDeliveryTo,
    KycStatusRequest,
    PayoutMethodRequest,
    ReceiveSide,
    ReceiveUserRequest,
    Transaction,
    TransactionRequest,
    UserRequest,
    UserTypeRequest,
    VerificationRequest,
    VirtualDocumentRequest,
    WalletAccountRequest,
    WalletTo,
)

Refusal = TypeVar("Refusal", bound=payouts.ApiException)


def main() -> None:
    configuration = payouts.Configuration(
        host=os.environ["PAYOUTS_URL"],
        api_key={
            "ClientId": os.environ["PAYOUTS_CLIENT_ID"],
            "ClientSecret": os.environ["PAYOUTS_CLIENT_SECRET"],
        },
    )
    with payouts.ApiClient(configuration) as client:
        Story(client).tell()


def refused(exception: type[Refusal], code: str, call: Callable[[], object]) -> Error:
    """Returns the error with which the service refuses the call."""
    try:
        answer = call()
    except exception as e:
        error = e.data
        assert isinstance(error, Error) and error.code == code, f"got {error}, want {code}"
        return error
    raise AssertionError(f"got {answer}, want {code}")


class Story:
    user: UUID
    fund: UUID
    receive_user: UUID
    bank_account: UUID
    wallet: UUID

    def __init__(self, client: payouts.ApiClient) -> None:
        self.reference = payouts.ReferenceDataApi(client)
        self.users = payouts.UsersApi(client)
        self.accounts = payouts.AccountsApi(client)
        self.transactions = payouts.TransactionsApi(client)
        self.sandbox = payouts.SandboxApi(client)
        self.created: list[UUID] = []

    def tell(self) -> None:
        self.sender()
        self.receiver()
        self.payouts()
        self.exact()
        self.replay()
        self.details()
        self.list()

    def sender(self) -> None:
        """Registers a user, who may send only once verified, and a funding account."""
        user = self.users.create_user(
            UserRequest(
                first_name="Asha",
                last_name="Example",
                email="asha@example.com",
                country="US",
                state="CA",
                type=UserTypeRequest.SEND,
                virtual_documents=[VirtualDocumentRequest(document_type="PASSPORT", document_value="X1234567")],
            ),
            x_idempotency_key="user-1",
        )
        self.user = user.id
        early = self.request("1.00", BankDepositTo(id=uuid4(), payout_method="BANK_DEPOSIT", fund_id=uuid4()), uuid4())
        refused(payouts.exceptions.UnprocessableEntityException, "KYC_NOT_ELIGIBLE", lambda: self.create("early", early))
        verified = self.sandbox.set_verification(self.user, VerificationRequest(kyc_status=KycStatusRequest.VERIFIED))
        assert verified.kyc_status == "VERIFIED" and verified.cip_info["ID_DOC"] == "SUBMIT", verified
        fund = self.accounts.create_funding_account(self.user, FundingAccountRequest(funding_source_type="CARD"))
        self.fund = fund.id
        active = self.sandbox.set_funding_account_status(
            self.user, self.fund, FundingAccountStatusRequest(status="ACTIVE")
        )
        assert active.status == "ACTIVE", active

    def receiver(self) -> None:
        """Registers who receives, with a bank and a wallet account."""
        receive_user = self.accounts.create_receive_user(
            self.user,
            ReceiveUserRequest(
                first_name="Bina", last_name="Example", country="NP", address_line1="1 Sample Road", city="Kathmandu"
            ),
        )
        self.receive_user = receive_user.id
        bank = self.reference.list_banks(country="NP")[0]
        self.bank_account = self.accounts.create_bank_account(
            self.user,
            self.receive_user,
            BankAccountRequest(bank_id=bank.id, account_number="0001234567", currency="NPR"),
        ).id
        self.wallet = self.accounts.create_wallet_account(
            self.user,
            self.receive_user,
            WalletAccountRequest(
                payer_id=self.payer(PayoutMethodRequest.WALLET), wallet_number="9800000000", currency="NPR"
            ),
        ).id

    def payer(self, method: PayoutMethodRequest) -> int:
        return self.reference.list_payers(country="NP", payout_method=method)[0].id

    def payouts(self) -> None:
        """Sends money by all four methods."""
        cash = self.request(
            "21.72",
            CashPickupTo(
                id=self.receive_user,
                payout_method="CASH_PICKUP",
                payer_id=self.payer(PayoutMethodRequest.CASH_PICKUP),
                calculation_mode=CalculationModeRequest.RECEIVER_AMOUNT,
            ),
        )
        cash.exchange_rate, cash.to_amount = Decimal("138.125"), Decimal("3000")
        wallet = WalletTo(id=self.receive_user, payout_method="WALLET", fund_id=self.wallet)
        assert isinstance(ReceiveSide.from_json(wallet.to_json()).actual_instance, WalletTo)
        home = HomeDeliveryTo(
            id=self.receive_user,
            payout_method="HOME_DELIVERY",
            payer_id=self.payer(PayoutMethodRequest.HOME_DELIVERY),
        )
        for key, request, method, to_amount in (
            ("bank", self.bank_deposit("100.00"), "BANK_DEPOSIT", "13225.00"),
            ("wallet", self.request("10.01", wallet), "WALLET", "1323.82"),
            ("cash", cash, "CASH_PICKUP", "3000.00"),
            ("home", self.request("20.00", home), "HOME_DELIVERY", "2645.00"),
        ):
            got = self.create(key, request)
            assert got.to.payout_method == method and got.status == "INITIATED", got
            assert got.to_amount == Decimal(to_amount), got

    def exact(self) -> None:
        """Sends what a float cannot hold: 0.1 + 0.2, and a rate of 19 digits."""
        request = self.bank_deposit("0.1")
        request.from_amount += Decimal("0.2")
        request.exchange_rate = Decimal("132.2500000000000001")
        got = self.create("exact", request)
        assert got.from_amount == Decimal("0.3") and got.exchange_rate == request.exchange_rate, got

    def replay(self) -> None:
        """Repeats the first payout with the same key, then sends another one with it."""
        again = self.transactions.create_transaction_with_http_info(
            self.user, self.bank_deposit("100.00"), x_idempotency_key="bank"
        )
        assert again.data.id == self.created[0], again
        assert again.headers is not None and again.headers.get("Idempotent-Replayed") == "true", again
        refused(
            payouts.exceptions.ConflictException,
            "IDEMPOTENCY_KEY_REUSED",
            lambda: self.create("bank", self.bank_deposit("101.00")),
        )

    def details(self) -> None:
        """Sends an amount with more decimals than its currency has."""
        error = refused(
            payouts.exceptions.BadRequestException,
            "BAD_REQUEST",
            lambda: self.create("decimals", self.bank_deposit("100.001")),
        )
        assert error.details is not None and [d.var_field for d in error.details] == ["/from_amount"], error

    def list(self) -> None:
        """Reads all transactions of the user page by page, newest first."""
        listed: list[UUID] = []
        cursor = None
        while True:
            page = self.transactions.list_transactions(self.user, limit=2, cursor=cursor)
            listed += [t.id for t in page.items]
            cursor = page.next_cursor
            if cursor is None:
                break
        assert listed == self.created[::-1], listed

    def bank_deposit(self, amount: str) -> TransactionRequest:
        return self.request(
            amount, BankDepositTo(id=self.receive_user, payout_method="BANK_DEPOSIT", fund_id=self.bank_account)
        )

    def request(
        self,
        amount: str,
        to: BankDepositTo | WalletTo | CashPickupTo | HomeDeliveryTo,
        fund: UUID | None = None,
    ) -> TransactionRequest:
        """Returns a payout to Nepal at 132.25 NPR for 1 USD."""
        return TransactionRequest(
            from_amount=Decimal(amount),
            from_currency="USD",
            from_fund_id=fund or self.fund,
            to_currency="NPR",
            exchange_rate=Decimal("132.25"),
            to=ReceiveSide(to),
        )

    def create(self, key: str, request: TransactionRequest) -> Transaction:
        """Creates a transaction and remembers its id."""
        created = self.transactions.create_transaction(self.user, request, x_idempotency_key=key)
        self.created.append(created.id)
        return created


if __name__ == "__main__":
    try:
        main()
    except (AssertionError, payouts.ApiException) as e:
        sys.exit(f"{type(e).__name__}: {e}")
