/** Tests of the files about the project, and of a release. */
@NullMarked
package io.watchgate.e2e.project;

import org.jspecify.annotations.NullMarked;
