import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Converter of class files older than Java 6 to the version of Java 17, in all jars of the folder
 * ARGUMENT. Old class files have no stack maps. An AOT cache cannot store them, so each start
 * verifies them slowly; JDK 25 crashes if a lambda's type in the cache names such a class. The
 * bytecode is unchanged. Of the gateway's libraries only picocli needs it. A JDK with JDK-8317269
 * does not.
 */
final class RaiseClassVersions {
  /** The first with stack maps, JAVA_6_VERSION, is tolerant of wrong ones; this one is not. */
  private static final int WANTED = ClassFile.JAVA_17_VERSION;

  private RaiseClassVersions() {}

  public static void main(String[] args) throws IOException {
    List<Path> jars;
    try (Stream<Path> files = Files.list(Path.of(args[0]))) {
      jars = files.filter(file -> file.toString().endsWith(".jar")).toList();
    }
    for (Path jar : jars) {
      try (ZipFile old = new ZipFile(jar.toFile())) {
        if (old.stream().noneMatch(entry -> isOld(old, entry))) {
          continue;
        }
        Path raised = Path.of(jar + ".raised");
        rewrite(jar, old, raised);
        Files.move(raised, jar, StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }

  /**
   * Returns whether an entry is a class file older than Java 6, by the version in its bytes 6 and
   * 7.
   */
  private static boolean isOld(ZipFile jar, ZipEntry entry) {
    if (!entry.getName().endsWith(".class")) {
      return false;
    }
    try (InputStream in = jar.getInputStream(entry)) {
      byte[] head = in.readNBytes(8);
      return (Byte.toUnsignedInt(head[6]) << 8 | Byte.toUnsignedInt(head[7]))
          < ClassFile.JAVA_6_VERSION;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void rewrite(Path jar, ZipFile old, Path raised) throws IOException {
    try (URLClassLoader classes = new URLClassLoader(new URL[] {jar.toUri().toURL()});
        OutputStream file = Files.newOutputStream(raised);
        ZipOutputStream out = new ZipOutputStream(file)) {
      ClassFile format =
          ClassFile.of(
              ClassFile.StackMapsOption.GENERATE_STACK_MAPS,
              ClassFile.ClassHierarchyResolverOption.of(
                  ClassHierarchyResolver.ofResourceParsing(classes)
                      .orElse(ClassHierarchyResolver.defaultResolver())));
      for (ZipEntry entry : Collections.list(old.entries())) {
        byte[] bytes;
        try (InputStream in = old.getInputStream(entry)) {
          bytes = in.readAllBytes();
        }
        out.putNextEntry(new ZipEntry(entry.getName()));
        out.write(isOld(old, entry) ? raise(format, bytes) : bytes);
        out.closeEntry();
      }
    }
  }

  private static byte[] raise(ClassFile format, byte[] bytes) {
    ClassModel old = format.parse(bytes);
    ClassTransform version =
        ClassTransform.dropping(element -> element instanceof ClassFileVersion)
            .andThen(ClassTransform.endHandler(builder -> builder.withVersion(WANTED, 0)));
    return format.transformClass(
        old, ClassTransform.transformingMethodBodies(CodeTransform.ACCEPT_ALL).andThen(version));
  }
}
