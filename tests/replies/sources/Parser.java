import java.util.HashMap;
import java.util.Map;

class Parser {
    private final String text;
    private int at;
    private int depth = 0;

    Parser(String text) {
        this.text = text;
        this.at = 0;
    }

    Map<String, String> pairs() {
        Map<String, String> found = new HashMap<>();
        while (at < text.length()) {
            skipBlanks();
            String key = word();
            expect('=');
            String value = word();
            found.put(key, value);
        }
        return found;
    }

    Map<String, Integer> numbers() {
        Map<String, Integer> found = new HashMap<>();
        while (at < text.length()) {
            skipBlanks();
            String key = word();
            expect('=');
            String value = word();
            found.put(key, Integer.parseInt(value));
        }
        return found;
    }

    private void skipBlanks() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }

    private void expect(char wanted) {
        if (at >= text.length() || text.charAt(at) != wanted) {
            throw new IllegalStateException("expected " + wanted + " at " + at);
        }
        at++;
    }

    private String word() {
        int start = at;
        while (at < text.length() && Character.isLetterOrDigit(text.charAt(at))) {
            at++;
        }
        String result = text.substring(start, at);
        return result;
    }
}
