/**
 * Findings of {@code watchgate doctor}: what is between a client and a gateway, and between a
 * gateway and an apiserver, step by step, each with what to do.
 */
@NullMarked
package io.watchgate.cli.doctor;

import org.jspecify.annotations.NullMarked;
