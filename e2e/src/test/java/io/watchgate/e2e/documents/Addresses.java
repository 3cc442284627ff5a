package io.watchgate.e2e.documents;

import io.watchgate.e2e.StablePorts;
import java.util.Map;
import java.util.TreeMap;

/**
 * Free ports that replace the documented ones: of gRPC, of probes and metrics, of the sandbox, of
 * the Kubernetes read API. Documented addresses in a text are replaced by free ones; commands with
 * documented defaults get options.
 */
record Addresses(Map<Integer, Integer> free) {
  private static final String HOST = "127.0.0.1:";
  private static final int GRPC = 7443;
  private static final int PROBES = 9443;
  private static final int SANDBOX = 8080;
  private static final int KUBE = 6443;

  static Addresses pick() {
    Map<Integer, Integer> free = new TreeMap<>();
    for (int port : new int[] {GRPC, PROBES, SANDBOX, KUBE}) {
      free.put(port, StablePorts.free());
    }
    return new Addresses(free);
  }

  String in(String text) {
    String changed = text;
    for (Map.Entry<Integer, Integer> port : free.entrySet()) {
      changed = changed.replace(HOST + port.getKey(), HOST + port.getValue());
    }
    return changed;
  }

  /** Returns a script that replaces the launcher, which is renamed to {@code launcher.real}. */
  String launcher() {
    return in(
        """
        #!/bin/sh
        command=${1:-}
        [ $# -eq 0 ] || shift
        case $command in
          '') ;;
          serve | demo)
            case "$command $*" in
              demo* | *--sandbox*) set -- --sandbox-listen 127.0.0.1:8080 "$@" ;;
            esac
            case " $*" in
              *' --listen'*) ;;
              *) set -- --listen 127.0.0.1:7443 --http-listen 127.0.0.1:9443 "$@" ;;
            esac
            set -- "$command" "$@"
            ;;
          sandbox) set -- sandbox --listen 127.0.0.1:8080 "$@" ;;
          example)
            [ $# -eq 0 ] || set -- "$@" --server 127.0.0.1:7443 --apiserver http://127.0.0.1:8080
            set -- example "$@"
            ;;
          watch | list | types | check)
            case " $*" in
              *' --server'*) ;;
              *) set -- --server 127.0.0.1:7443 "$@" ;;
            esac
            set -- "$command" "$@"
            ;;
          *) set -- "$command" "$@" ;;
        esac
        exec "$0.real" "$@"
        """);
  }
}
