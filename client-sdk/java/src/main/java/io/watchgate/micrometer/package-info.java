/**
 * Adapter of informer meters to Micrometer. It is a separate package because nothing else needs
 * Micrometer, so that programs without it load none of its classes.
 */
@NullMarked
package io.watchgate.micrometer;

import org.jspecify.annotations.NullMarked;
