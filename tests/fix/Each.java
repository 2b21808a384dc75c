import java.nio.file.Path;
import java.util.Arrays;
import java.util.spi.ToolProvider;

/**
 * javac on many programs in one process: `Case.java` in each of these folders.
 *
 * <p>Below a line `=== name` stands what is said of the program in the folder of that name.
 */
public final class Each {
    public static void main(String[] arguments) {
        ToolProvider javac = ToolProvider.findFirst("javac").orElseThrow();
        Arrays.stream(arguments).filter(it -> !it.equals("--")).map(Path::of).forEach(folder -> {
            System.out.println("=== " + folder.getFileName());
            Path[] paths = {folder.resolve("out"), folder, folder.resolve("Case.java")};
            javac.run(System.out, System.out, "-d", "" + paths[0], "-cp", "" + paths[1], "" + paths[2]);
        });
    }
}
