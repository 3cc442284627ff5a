// Self-signed certificates for tests, written as ASN.1: Node reads certificates, but makes none.
import { generateKeyPairSync, sign } from "node:crypto";

const tagged = (tag, ...parts) => {
  const content = Buffer.concat(parts);
  const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
};
const sequence = (...parts) => tagged(0x30, ...parts);
const oid = (hex) => tagged(0x06, Buffer.from(hex, "hex"));
const time = (text) => tagged(0x18, Buffer.from(text));
const octets = (content) => tagged(0x04, content);

const ECDSA_WITH_SHA256 = sequence(oid("2a8648ce3d040302"));
const COMMON_NAME = "550403";
const BASIC_CONSTRAINTS = "551d13";
const ALTERNATIVE_NAME = "551d11";
const TRUE = tagged(0x01, Buffer.from([0xff]));

/** Returns the key and the certificate of a host, as PEM. The certificate is its own authority. */
export function certificateOf(host) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const name = sequence(tagged(0x31, sequence(oid(COMMON_NAME), tagged(0x0c, Buffer.from(host)))));
  const extensions = sequence(
    sequence(oid(BASIC_CONSTRAINTS), TRUE, octets(sequence(TRUE))),
    sequence(oid(ALTERNATIVE_NAME), octets(sequence(tagged(0x82, Buffer.from(host))))),
  );
  const content = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))), // version 3
    tagged(0x02, Buffer.from([1])),
    ECDSA_WITH_SHA256,
    name,
    sequence(time("20200101000000Z"), time("29990101000000Z")),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, extensions),
  );
  const signature = tagged(0x03, Buffer.from([0]), sign("sha256", content, privateKey));
  const base64 = sequence(content, ECDSA_WITH_SHA256, signature).toString("base64").replace(/.{64}/g, "$&\n");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }),
    certificate: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
  };
}
