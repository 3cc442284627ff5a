package io.watchgate.cache;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.UUID;

/**
 * Source of pods of a given size, in the form of an apiserver, each with different bytes. For
 * benchmarks.
 */
final class PodBytes {
  private final Random random;
  private final int size;

  PodBytes(long seed, int size) {
    this.random = new Random(seed);
    this.size = size;
  }

  byte[] pod(int number, long version) {
    StringBuilder json = new StringBuilder(size + 64);
    json.append("{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"web-7d4b9c6f5d-")
        .append(Integer.toString(number, 36))
        .append("\",\"generateName\":\"web-7d4b9c6f5d-\",\"namespace\":\"team-")
        .append(number % 100)
        .append("\",\"uid\":\"")
        .append(new UUID(number, 42))
        .append("\",\"resourceVersion\":\"")
        .append(version)
        .append(
            "\",\"creationTimestamp\":\"2026-11-21T10:00:00Z\",\"labels\":{\"app\":\"web\",\"tier\":\"")
        .append(number % 7)
        .append(
            "\"},\"managedFields\":[{\"manager\":\"kubelet\",\"operation\":\"Update\",\"apiVersion\":\"v1\",")
        .append(
            "\"fieldsV1\":{\"f:status\":{\"f:conditions\":{},\"f:phase\":{}}}}]},\"spec\":{\"nodeName\":\"node-")
        .append(number % 5000)
        .append(
            "\",\"restartPolicy\":\"Always\",\"schedulerName\":\"default-scheduler\",\"serviceAccountName\":\"default\",")
        .append(
            "\"containers\":[{\"name\":\"web\",\"image\":\"registry.example/web:1.2.3\",\"env\":[");
    String tail =
        "],\"imagePullPolicy\":\"IfNotPresent\"}]},\"status\":{\"phase\":\"Running\",\"podIP\":\"10.1.2.3\"}}";
    String separator = "";
    while (json.length() + tail.length() < size - 40) {
      json.append(separator)
          .append("{\"name\":\"V")
          .append(random.nextInt(100_000))
          .append("\",\"value\":\"")
          .append(Long.toHexString(random.nextLong()))
          .append("\"}");
      separator = ",";
    }
    return json.append(tail).toString().getBytes(StandardCharsets.UTF_8);
  }
}
