package io.watchgate.auth;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import javax.naming.InvalidNameException;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;

/** Identity from a client certificate. */
final class CertificateAuthenticator {
  private static final int URI = 6;

  private CertificateAuthenticator() {}

  /**
   * Returns the user that a certificate names.
   *
   * @throws InvalidNameException if it names no user; the message names the missing part
   */
  static UserInfo userOf(X509Certificate certificate, CertificateUserField user)
      throws InvalidNameException {
    List<String> groups = new ArrayList<>();
    String commonName = "";
    LdapName subject = new LdapName(certificate.getSubjectX500Principal().getName());
    for (Rdn rdn : subject.getRdns()) {
      try {
        var attributes = rdn.toAttributes().getAll();
        while (attributes.hasMore()) {
          Attribute attribute = attributes.next();
          switch (attribute.getID().toUpperCase(Locale.ROOT)) {
            case "CN" -> commonName = onlyOrEmpty(texts(attribute));
            case "O" -> groups.addAll(texts(attribute));
            default -> {}
          }
        }
      } catch (NamingException e) {
        throw new InvalidNameException("its subject cannot be read");
      }
    }
    String name =
        switch (user) {
          case COMMON_NAME -> commonName;
          case URI -> uri(certificate);
        };
    if (name.isEmpty()) {
      throw new InvalidNameException(
          switch (user) {
            case COMMON_NAME -> "it has no common name (CN), or several in one part of its subject";
            case URI -> "it has no URI, or several, among its alternative names";
          });
    }
    return UserInfo.authenticated(name, "", groups);
  }

  /**
   * Returns the only name, or none: a part of a subject (RDN) may have several values of one kind,
   * in no defined order.
   */
  private static String onlyOrEmpty(List<String> names) {
    return names.size() == 1 ? names.getFirst() : "";
  }

  private static List<String> texts(Attribute attribute) throws NamingException {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < attribute.size(); i++) {
      if (!(attribute.get(i) instanceof String text)) {
        throw new NamingException("bytes"); // the text of which would be a memory address
      }
      texts.add(text);
    }
    return texts;
  }

  private static String uri(X509Certificate certificate) throws InvalidNameException {
    try {
      Collection<List<?>> names = certificate.getSubjectAlternativeNames();
      List<String> uris =
          names == null
              ? List.of()
              : names.stream()
                  .filter(name -> name.get(0).equals(URI))
                  .map(name -> String.valueOf(name.get(1)))
                  .toList();
      return onlyOrEmpty(uris);
    } catch (CertificateParsingException e) {
      throw new InvalidNameException("its alternative names cannot be read");
    }
  }
}
