/**
 * Expressions over one object: paths into its JSON, templates with paths, conditions to wait for.
 * Pure functions of text and JSON. All parsed expressions are immutable; any thread may use them.
 *
 * <p>The paths are a subset of kubectl's, chosen so that each accepted path has the same meaning in
 * kubectl:
 *
 * <pre>
 * path    = [ "$" | "@" ] step*                   {.metadata.name}
 * step    = "." name | "['" text "']"             {.metadata.labels.app\.kubernetes\.io/name}
 *         | "[" integer "]"                       {.spec.containers[0].image}; [-1] is the last one
 *         | "[*]" | ".*"                          {.spec.containers[*].image}
 *         | "[?(" filter ")]"                     {.status.conditions[?(@.type=="Ready")].status}
 * filter  = path | path ("==" | "!=") literal
 * literal = "text" | 'text' | number | true | false
 * </pre>
 *
 * The rest of kubectl's syntax (range, slices, recursive descent) is refused with the column.
 * Rejected: a JSONPath library, which would accept more than kubectl, with different meanings.
 */
@NullMarked
package io.watchgate.jsonpath;

import org.jspecify.annotations.NullMarked;
