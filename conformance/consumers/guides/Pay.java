import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Pays the records of a file, and prints the final word of each. */
final class Pay {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    public static void main(String[] args) throws Exception {
        HttpClient http = HttpClient.newHttpClient();
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            JsonNode record = MAPPER.readTree(line);
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(args[1] + record.get("path").textValue()))
                .POST(BodyPublishers.ofString(record.get("body").textValue()));
            record.get("headers").properties().forEach(h -> request.header(h.getKey(), h.getValue().textValue()));
            System.out.println(pay(http, request.build(), 4));
        }
    }

    // the block of the guide
}
