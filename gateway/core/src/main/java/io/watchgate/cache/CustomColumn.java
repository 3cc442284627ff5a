package io.watchgate.cache;

/**
 * Table column of a CustomResourceDefinition, {@code additionalPrinterColumns}.
 *
 * @param type type of its cells: {@code string}, {@code integer}, {@code number}, {@code boolean}
 *     or {@code date}
 * @param format refinement of the type; mostly empty
 * @param description one line; may be empty
 * @param priority 0, or more if only a wide table has the column
 * @param jsonPath path into an object, {@code .spec.replicas}; not checked
 */
public record CustomColumn(
    String name, String type, String format, String description, int priority, String jsonPath) {}
