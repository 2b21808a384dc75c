import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;

/**
 * javac on many programs in one process: each argument is a folder, a colon, and a file in it. A file in a folder `java`
 * takes the place of the JDK's own.
 *
 * <p>Below a line `=== folder` stands what is said of it.
 */
public final class Mutants {
    public static void main(String[] arguments) {
        ToolProvider javac = ToolProvider.findFirst("javac").orElseThrow();
        for (String it : arguments) {
            String folder = it.substring(0, it.lastIndexOf(':'));
            String file = it.substring(it.lastIndexOf(':') + 1);
            System.out.println("=== " + folder);
            List<String> options = new ArrayList<>(List.of("-d", folder + "/out", "-nowarn", "-proc:none"));
            if (file.startsWith("java/")) {
                options.addAll(List.of("--patch-module", "java.base=" + folder));
            }
            options.add(Path.of(folder, file).toString());
            javac.run(System.out, System.out, options.toArray(new String[0]));
        }
    }
}
