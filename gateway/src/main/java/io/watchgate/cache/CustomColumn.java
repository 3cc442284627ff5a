package io.watchgate.cache;

/**
 * A column that a CustomResourceDefinition has tables show, {@code additionalPrinterColumns}.
 *
 * @param type of its cells: {@code string}, {@code integer}, {@code number}, {@code boolean} or
 *     {@code date}
 * @param format a refinement of the type; mostly empty
 * @param description one line; may be empty
 * @param priority 0, or more where only a wide table shows it
 * @param jsonPath a path into an object, {@code .spec.replicas}; not checked
 */
public record CustomColumn(
    String name, String type, String format, String description, int priority, String jsonPath) {}
