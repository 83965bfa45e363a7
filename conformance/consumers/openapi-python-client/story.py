"""Runs a payout of each method with the client that openapi-python-client generates."""

import os
import sys
from decimal import Decimal
from http import HTTPStatus
from typing import TypeVar
from uuid import UUID, uuid4

from payouts import Client
from payouts.api.accounts import create_bank_account, create_funding_account, create_receive_user, create_wallet_account
from payouts.api.reference_data import list_banks, list_payers
from payouts.api.sandbox import set_funding_account_status, set_verification
from payouts.api.transactions import create_transaction, list_transactions
from payouts.api.users import create_user
from payouts.models import (
    BankAccountRequest,
    BankDepositTo,
    BankDepositToPayoutMethod,
    CalculationModeRequest,
    CashPickupTo,
    CashPickupToPayoutMethod,
    Error,
    FundingAccountRequest,
    FundingAccountStatusRequest,
    FundingAccountStatusRequestStatus,
    HomeDeliveryTo,
    HomeDeliveryToPayoutMethod,
    KycStatusRequest,
    Payer,
    PayoutMethodRequest,
    ReceiveUserRequest,
    Transaction,
    TransactionRequest,
    UserRequest,
    UserTypeRequest,
    VerificationRequest,
    VirtualDocumentRequest,
    WalletAccountRequest,
    WalletTo,
    WalletToPayoutMethod,
)
from payouts.types import UNSET, Response, Unset

T = TypeVar("T")


def main() -> None:
    with Client(
        base_url=os.environ["PAYOUTS_URL"],
        headers={
            "X-Client-Id": os.environ["PAYOUTS_CLIENT_ID"],
            "X-Client-Secret": os.environ["PAYOUTS_CLIENT_SECRET"],
        },
        raise_on_unexpected_status=True,
    ) as client:
        Story(client).tell()


def success(answer: T | Error | None) -> T:
    assert answer is not None and not isinstance(answer, Error), answer
    return answer


def refused(answer: Response[Error | Transaction], status: HTTPStatus, code: str) -> Error:
    error = answer.parsed
    assert answer.status_code == status and isinstance(error, Error) and error.code == code, answer
    return error


class Story:
    user: UUID
    fund: UUID
    receive_user: UUID
    bank_account: UUID
    wallet: UUID

    def __init__(self, client: Client) -> None:
        self.client = client
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
        user = create_user.sync(
            client=self.client,
            x_idempotency_key="user-1",
            body=UserRequest(
                first_name="Asha",
                last_name="Example",
                email="asha@example.com",
                country="US",
                state="CA",
                type_=UserTypeRequest.SEND,
                virtual_documents=[VirtualDocumentRequest(document_type="PASSPORT", document_value="X1234567")],
            ),
        )
        self.user = success(user).id
        early = BankDepositTo(id=uuid4(), payout_method=BankDepositToPayoutMethod.BANK_DEPOSIT, fund_id=uuid4())
        refused(
            self.send("early", self.request("1.00", early, uuid4())),
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "KYC_NOT_ELIGIBLE",
        )
        verified = success(
            set_verification.sync(
                self.user, client=self.client, body=VerificationRequest(kyc_status=KycStatusRequest.VERIFIED)
            )
        )
        assert verified.kyc_status == "VERIFIED" and verified.cip_info["ID_DOC"] == "SUBMIT", verified
        fund = create_funding_account.sync(
            self.user, client=self.client, body=FundingAccountRequest(funding_source_type="CARD")
        )
        self.fund = success(fund).id
        active = set_funding_account_status.sync(
            self.user,
            self.fund,
            client=self.client,
            body=FundingAccountStatusRequest(status=FundingAccountStatusRequestStatus.ACTIVE),
        )
        assert success(active).status == "ACTIVE", active

    def receiver(self) -> None:
        """Registers who receives, with a bank and a wallet account."""
        receive_user = create_receive_user.sync(
            self.user,
            client=self.client,
            body=ReceiveUserRequest(
                first_name="Bina", last_name="Example", country="NP", address_line1="1 Sample Road", city="Kathmandu"
            ),
        )
        self.receive_user = success(receive_user).id
        bank = success(list_banks.sync(client=self.client, country="NP"))[0]
        account = create_bank_account.sync(
            self.user,
            self.receive_user,
            client=self.client,
            body=BankAccountRequest(bank_id=bank.id, account_number="0001234567", currency="NPR"),
        )
        self.bank_account = success(account).id
        wallet = create_wallet_account.sync(
            self.user,
            self.receive_user,
            client=self.client,
            body=WalletAccountRequest(
                payer_id=self.payer(PayoutMethodRequest.WALLET), wallet_number="9800000000", currency="NPR"
            ),
        )
        self.wallet = success(wallet).id

    def payer(self, method: PayoutMethodRequest) -> int:
        # A 304, which has no body, makes the type of the answer Any.
        payers: list[Payer] = success(list_payers.sync(client=self.client, country="NP", payout_method=method))
        return payers[0].id

    def payouts(self) -> None:
        """Sends money by all four methods."""
        cash = self.request(
            "21.72",
            CashPickupTo(
                id=self.receive_user,
                payout_method=CashPickupToPayoutMethod.CASH_PICKUP,
                payer_id=self.payer(PayoutMethodRequest.CASH_PICKUP),
                calculation_mode=CalculationModeRequest.RECEIVER_AMOUNT,
            ),
        )
        cash.exchange_rate, cash.to_amount = Decimal("138.125"), Decimal("3000")
        wallet = self.request(
            "10.01",
            WalletTo(id=self.receive_user, payout_method=WalletToPayoutMethod.WALLET, fund_id=self.wallet),
        )
        assert isinstance(TransactionRequest.from_dict(wallet.to_dict()).to, WalletTo)
        home = self.request(
            "20.00",
            HomeDeliveryTo(
                id=self.receive_user,
                payout_method=HomeDeliveryToPayoutMethod.HOME_DELIVERY,
                payer_id=self.payer(PayoutMethodRequest.HOME_DELIVERY),
            ),
        )
        for key, request, method, to_amount in (
            ("bank", self.bank_deposit("100.00"), "BANK_DEPOSIT", "13225.00"),
            ("wallet", wallet, "WALLET", "1323.82"),
            ("cash", cash, "CASH_PICKUP", "3000.00"),
            ("home", home, "HOME_DELIVERY", "2645.00"),
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
        again = self.send("bank", self.bank_deposit("100.00"))
        assert success(again.parsed).id == self.created[0], again
        assert again.headers.get("Idempotent-Replayed") == "true", again
        refused(self.send("bank", self.bank_deposit("101.00")), HTTPStatus.CONFLICT, "IDEMPOTENCY_KEY_REUSED")

    def details(self) -> None:
        """Sends an amount with more decimals than its currency has."""
        error = refused(self.send("decimals", self.bank_deposit("100.001")), HTTPStatus.BAD_REQUEST, "BAD_REQUEST")
        assert not isinstance(error.details, Unset) and [d.field for d in error.details] == ["/from_amount"], error

    def list(self) -> None:
        """Reads all transactions of the user page by page, newest first."""
        listed: list[UUID] = []
        cursor: str | Unset = UNSET
        while True:
            page = success(list_transactions.sync(self.user, client=self.client, limit=2, cursor=cursor))
            listed += [t.id for t in page.items]
            cursor = page.next_cursor
            if isinstance(cursor, Unset):
                break
        assert listed == self.created[::-1], listed

    def bank_deposit(self, amount: str) -> TransactionRequest:
        return self.request(
            amount,
            BankDepositTo(
                id=self.receive_user,
                payout_method=BankDepositToPayoutMethod.BANK_DEPOSIT,
                fund_id=self.bank_account,
            ),
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
            to=to,
        )

    def send(self, key: str, request: TransactionRequest) -> Response[Error | Transaction]:
        return create_transaction.sync_detailed(self.user, client=self.client, body=request, x_idempotency_key=key)

    def create(self, key: str, request: TransactionRequest) -> Transaction:
        """Creates a transaction and remembers its id."""
        created = success(self.send(key, request).parsed)
        self.created.append(created.id)
        return created


if __name__ == "__main__":
    try:
        main()
    except AssertionError as e:
        sys.exit(f"AssertionError: {e}")
