/**
 * Tests of the Helm chart in {@code gateway/deploy/chart}: its objects, its errors, and releases in
 * a real apiserver. Helm is built from {@code e2e/helm}, whose go.mod names the version.
 */
@NullMarked
package io.watchgate.e2e.chart;

import org.jspecify.annotations.NullMarked;
