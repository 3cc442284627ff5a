@NullMarked
package io.watchgate.cli.deploy;

import org.jspecify.annotations.NullMarked;
