import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.math.BigDecimal;
import java.util.Map;

final class Money {
    public static void main(String[] args) throws Exception {
        // the block of the guide

        String body = mapper.writeValueAsString(Map.of("from_amount", new BigDecimal("1E+2")));
        Object amount = mapper.readValue("{\"to_amount\":12345678901234567.89}", Map.class).get("to_amount");
        if (!body.equals("{\"from_amount\":100}") || !amount.equals(new BigDecimal("12345678901234567.89"))) {
            throw new AssertionError(body + " " + amount);
        }
    }
}
