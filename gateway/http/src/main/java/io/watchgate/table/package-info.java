/**
 * Tables of objects: the columns of a type and their cells, as {@code kubectl get} prints them.
 * Pure functions of the object's JSON and the current time; any thread. The HTTP side builds the
 * server's {@code Table} from them and the command line builds its rows, so both have the same
 * content.
 *
 * <p>Rejected: a model class for every type. A table reads about ten fields of an object, and an
 * unknown type has NAME and AGE.
 */
@NullMarked
package io.watchgate.table;

import org.jspecify.annotations.NullMarked;
