import com.google.protobuf.ByteString;
import io.watchgate.client.WatchClient;
import io.watchgate.informer.Decoder;
import io.watchgate.informer.DeletionReason;
import io.watchgate.informer.Handler;
import io.watchgate.informer.Informer;
import io.watchgate.informer.StoredObject;

/** Example informer that prints the pods of a namespace, and then each change to them. */
class Pods {
  public static void main(String[] args) throws Exception {
    WatchClient client = WatchClient.to("127.0.0.1", 7443).build();
    Informer.of(client, "pods", Decoder.raw()).inNamespace("shop").handler(new Printer()).start();
    Thread.currentThread().join(); // the client's daemon threads do not keep the process alive
  }

  static class Printer implements Handler<ByteString> {
    @Override
    public void onAdd(StoredObject<ByteString> pod) {
      System.out.println("ADDED " + pod.key() + " " + pod.resourceVersion());
    }

    @Override
    public void onUpdate(StoredObject<ByteString> before, StoredObject<ByteString> pod) {
      System.out.println("MODIFIED " + pod.key() + " " + pod.resourceVersion());
    }

    @Override
    public void onDelete(StoredObject<ByteString> pod, DeletionReason reason) {
      System.out.println(reason + " " + pod.key());
    }
  }
}
