/**
 * Shows informers in Micrometer. A package of its own, since nothing else needs Micrometer, and
 * programs without it load nothing of it.
 */
@NullMarked
package io.watchgate.micrometer;

import org.jspecify.annotations.NullMarked;
