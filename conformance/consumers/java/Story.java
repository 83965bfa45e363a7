import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.example.payouts.ApiClient;
import org.example.payouts.ApiException;
import org.example.payouts.api.AccountsApi;
import org.example.payouts.api.ReferenceDataApi;
import org.example.payouts.api.SandboxApi;
import org.example.payouts.api.TransactionsApi;
import org.example.payouts.api.UsersApi;
import org.example.payouts.model.BankAccountRequest;
import org.example.payouts.model.BankDepositTo;
import org.example.payouts.model.CalculationModeRequest;
import org.example.payouts.model.CashPickupTo;
import org.example.payouts.model.Error;
import org.example.payouts.model.FundingAccountRequest;
import org.example.payouts.model.FundingAccountStatusRequest;
import org.example.payouts.model.HomeDeliveryTo;
import org.example.payouts.model.KycStatusRequest;
import org.example.payouts.model.PayoutMethodRequest;
import org.example.payouts.model.ReceiveSide;
import org.example.payouts.model.ReceiveUserRequest;
import org.example.payouts.model.Transaction;
import org.example.payouts.model.TransactionRequest;
import org.example.payouts.model.UserRequest;
import org.example.payouts.model.UserTypeRequest;
import org.example.payouts.model.VerificationRequest;
import org.example.payouts.model.VirtualDocumentRequest;
import org.example.payouts.model.WalletAccountRequest;
import org.example.payouts.model.WalletTo;

/** Runs a payout of each method with the client that openapi-generator generates for Java. */
final class Story {
    private final ApiClient client = new ApiClient();
    private final ReferenceDataApi reference;
    private final UsersApi users;
    private final AccountsApi accounts;
    private final TransactionsApi transactions;
    private final SandboxApi sandbox;

    private UUID user;
    private UUID fund;
    private UUID receiveUser;
    private UUID bankAccount;
    private UUID wallet;
    private final List<UUID> created = new ArrayList<>();

    private Story(String url, String id, String secret) {
        client.updateBaseUri(url);
        client.setRequestInterceptor(request -> request.header("X-Client-Id", id).header("X-Client-Secret", secret));
        // Or an amount such as 1E+2, which is what stripTrailingZeros makes of 100.00, is sent with its exponent.
        client.setObjectMapper(ApiClient.createDefaultObjectMapper().enable(JsonGenerator.Feature.WRITE_BIGDECIMAL_AS_PLAIN));
        reference = new ReferenceDataApi(client);
        users = new UsersApi(client);
        accounts = new AccountsApi(client);
        transactions = new TransactionsApi(client);
        sandbox = new SandboxApi(client);
    }

    public static void main(String[] args) {
        var story = new Story(
                System.getenv("PAYOUTS_URL"), System.getenv("PAYOUTS_CLIENT_ID"), System.getenv("PAYOUTS_CLIENT_SECRET"));
        try {
            story.tell();
        } catch (ApiException | IllegalStateException | JsonProcessingException e) {
            System.err.println(e);
            System.exit(1);
        }
    }

    private void tell() throws ApiException, JsonProcessingException {
        sender();
        receiver();
        payouts();
        exact();
        replay();
        details();
        list();
    }

    /** Registers a user, who may send only once verified, and a funding account. */
    private void sender() throws ApiException, JsonProcessingException {
        user = users.createUser(
                        new UserRequest()
                                .firstName("Asha")
                                .lastName("Example")
                                .email("asha@example.com")
                                .country("US")
                                .state("CA")
                                .type(UserTypeRequest.SEND)
                                .addVirtualDocumentsItem(
                                        new VirtualDocumentRequest().documentType("PASSPORT").documentValue("X1234567")),
                        "user-1")
                .getId();
        var early = request(
                "1.00",
                UUID.randomUUID(),
                new ReceiveSide(new BankDepositTo()
                        .id(UUID.randomUUID())
                        .payoutMethod(BankDepositTo.PayoutMethodEnum.BANK_DEPOSIT)
                        .fundId(UUID.randomUUID())));
        refused(422, "KYC_NOT_ELIGIBLE", () -> create("early", early));
        var verified = sandbox.setVerification(user, new VerificationRequest().kycStatus(KycStatusRequest.VERIFIED));
        check(verified.getKycStatus().equals("VERIFIED"), verified);
        check(verified.getCipInfo().get("ID_DOC").equals("SUBMIT"), verified);
        fund = accounts.createFundingAccount(user, new FundingAccountRequest().fundingSourceType("CARD"), null)
                .getId();
        var active = sandbox.setFundingAccountStatus(
                user, fund, new FundingAccountStatusRequest().status(FundingAccountStatusRequest.StatusEnum.ACTIVE));
        check(active.getStatus().equals("ACTIVE"), active);
    }

    /** Registers who receives, with a bank and a wallet account. */
    private void receiver() throws ApiException {
        receiveUser = accounts.createReceiveUser(
                        user,
                        new ReceiveUserRequest()
                                .firstName("Bina")
                                .lastName("Example")
                                .country("NP")
                                .addressLine1("1 Sample Road")
                                .city("Kathmandu"),
                        null)
                .getId();
        var bank = reference.listBanks("NP", null).get(0);
        bankAccount = accounts.createBankAccount(
                        user,
                        receiveUser,
                        new BankAccountRequest().bankId(bank.getId()).accountNumber("0001234567").currency("NPR"),
                        null)
                .getId();
        wallet = accounts.createWalletAccount(
                        user,
                        receiveUser,
                        new WalletAccountRequest()
                                .payerId(payer(PayoutMethodRequest.WALLET))
                                .walletNumber("9800000000")
                                .currency("NPR"),
                        null)
                .getId();
    }

    private Long payer(PayoutMethodRequest method) throws ApiException {
        return reference.listPayers("NP", method, null, null).get(0).getId();
    }

    /** Sends money by all four methods. */
    private void payouts() throws ApiException, JsonProcessingException {
        var cash = request(
                        "21.72",
                        fund,
                        new ReceiveSide(new CashPickupTo()
                                .id(receiveUser)
                                .payoutMethod(CashPickupTo.PayoutMethodEnum.CASH_PICKUP)
                                .payerId(payer(PayoutMethodRequest.CASH_PICKUP))
                                .calculationMode(CalculationModeRequest.RECEIVER_AMOUNT)))
                .exchangeRate(new BigDecimal("138.125"))
                .toAmount(new BigDecimal("3000"));
        var toWallet = new ReceiveSide(new WalletTo()
                .id(receiveUser)
                .payoutMethod(WalletTo.PayoutMethodEnum.WALLET)
                .fundId(wallet));
        var json = client.getObjectMapper().writeValueAsString(toWallet);
        check(client.getObjectMapper().readValue(json, ReceiveSide.class).getActualInstance() instanceof WalletTo, json);
        var home = new ReceiveSide(new HomeDeliveryTo()
                .id(receiveUser)
                .payoutMethod(HomeDeliveryTo.PayoutMethodEnum.HOME_DELIVERY)
                .payerId(payer(PayoutMethodRequest.HOME_DELIVERY)));
        payout("bank", bankDeposit("100.00"), "BANK_DEPOSIT", "13225.00");
        payout("wallet", request("10.01", fund, toWallet), "WALLET", "1323.82");
        payout("cash", cash, "CASH_PICKUP", "3000.00");
        payout("home", request("20.00", fund, home), "HOME_DELIVERY", "2645.00");
    }

    private void payout(String key, TransactionRequest request, String method, String toAmount) throws ApiException {
        var got = create(key, request);
        check(got.getTo().getPayoutMethod().equals(method) && got.getStatus().equals("INITIATED"), got);
        check(got.getToAmount().equals(new BigDecimal(toAmount)), got);
    }

    /** Sends what a double cannot hold: 0.1 + 0.2, and a rate of 19 digits; and an amount with an exponent. */
    private void exact() throws ApiException {
        var request = bankDeposit("0.1").exchangeRate(new BigDecimal("132.2500000000000001"));
        request.setFromAmount(request.getFromAmount().add(new BigDecimal("0.2")));
        var got = create("exact", request);
        check(got.getFromAmount().equals(new BigDecimal("0.30")), got);
        check(got.getExchangeRate().equals(request.getExchangeRate()), got);
        var hundred = bankDeposit("100.00");
        hundred.setFromAmount(hundred.getFromAmount().stripTrailingZeros());
        check(create("hundred", hundred).getFromAmount().equals(new BigDecimal("100.00")), hundred);
    }

    /** Repeats the first payout with the same key, then sends another one with it. */
    private void replay() throws ApiException, JsonProcessingException {
        var again = transactions.createTransactionWithHttpInfo(user, bankDeposit("100.00"), "bank");
        check(again.getData().getId().equals(created.get(0)), again.getData());
        check(List.of("true").equals(again.getHeaders().get("idempotent-replayed")), again.getHeaders());
        refused(409, "IDEMPOTENCY_KEY_REUSED", () -> create("bank", bankDeposit("101.00")));
    }

    /** Sends an amount with more decimals than its currency has. */
    private void details() throws JsonProcessingException {
        var error = refused(400, "BAD_REQUEST", () -> create("decimals", bankDeposit("100.001")));
        check(error.getDetails().size() == 1 && error.getDetails().get(0).getField().equals("/from_amount"), error);
    }

    /** Reads all transactions of the user page by page, newest first. */
    private void list() throws ApiException {
        var listed = new ArrayList<UUID>();
        String cursor = null;
        do {
            var page = transactions.listTransactions(user, 2, cursor);
            page.getItems().forEach(t -> listed.add(t.getId()));
            cursor = page.getNextCursor();
        } while (cursor != null);
        Collections.reverse(listed);
        check(listed.equals(created), listed);
    }

    private TransactionRequest bankDeposit(String amount) {
        return request(
                amount,
                fund,
                new ReceiveSide(new BankDepositTo()
                        .id(receiveUser)
                        .payoutMethod(BankDepositTo.PayoutMethodEnum.BANK_DEPOSIT)
                        .fundId(bankAccount)));
    }

    /** Returns a payout to Nepal at 132.25 NPR for 1 USD. */
    private static TransactionRequest request(String amount, UUID fund, ReceiveSide to) {
        return new TransactionRequest()
                .fromAmount(new BigDecimal(amount))
                .fromCurrency("USD")
                .fromFundId(fund)
                .toCurrency("NPR")
                .exchangeRate(new BigDecimal("132.25"))
                .to(to);
    }

    /** Creates a transaction and remembers its id. */
    private Transaction create(String key, TransactionRequest request) throws ApiException {
        var transaction = transactions.createTransaction(user, request, key);
        created.add(transaction.getId());
        return transaction;
    }

    private interface Call {
        Object send() throws ApiException;
    }

    /** Returns the error with which the service refuses the call. */
    private Error refused(int status, String code, Call call) throws JsonProcessingException {
        try {
            throw new IllegalStateException("got " + call.send() + ", want " + code);
        } catch (ApiException e) {
            var error = client.getObjectMapper().readValue(e.getResponseBody(), Error.class);
            check(e.getCode() == status && error.getCode().equals(code), error);
            return error;
        }
    }

    private static void check(boolean ok, Object got) {
        if (!ok) {
            throw new IllegalStateException("unexpected " + got);
        }
    }
}
