// EST on the wire (RFC 7030, RFC 8951): bodies in base64, how requests come that others write, the attributes that a CSR should have, and a key with its certificate.
import { integer, oid, sequence, setOf } from '../der/writer.ts'
import { OIDS } from '../x509/oids.ts'

/** Base64 in one line, or in lines of so many characters. */
export function encodeBody(bytes: Uint8Array, lineLength = 0): string {
  const text = Buffer.from(bytes).toString('base64')
  if (lineLength === 0) return text
  return `${(text.match(new RegExp(`.{1,${lineLength}}`, 'g')) ?? []).join('\r\n')}\r\n`
}

/** The DER of a request body: base64 as the standard has it, PEM, or plain DER. Undefined for anything else. Whatever the headers say of it (RFC 8951 2). */
export function readBody(body: Uint8Array): Uint8Array | undefined {
  // A SEQUENCE begins so, and base64 never does: '0' is followed by a letter or a digit there.
  if (body[0] === 0x30 && ((body[1] ?? 0) & 0x80) !== 0) return body
  const text = Buffer.from(body).toString('latin1')
  const inside = /-----BEGIN [A-Z ]+-----([^-]*)-----END [A-Z ]+-----/.exec(text)?.[1] ?? text
  const base64 = inside.replace(/\s/g, '')
  return base64 !== '' && /^[A-Za-z0-9+/]+={0,2}$/.test(base64) ? Buffer.from(base64, 'base64') : undefined
}

const CURVE_OIDS: Readonly<Record<string, string>> = { 'P-256': OIDS['P-256'], 'P-384': OIDS['P-384'], 'P-521': OIDS['P-521'] }

/** CsrAttrs (RFC 8951 3.5): the kind of key that is wanted, such as `RSA-2048` or `P-256`. Undefined where the standard has no words for it. */
export function csrAttributes(key: string): Uint8Array | undefined {
  const [, bits] = /^RSA-(\d+)$/.exec(key) ?? []
  if (bits !== undefined) return sequence(sequence(oid(OIDS.rsaEncryption), setOf(integer(Number(bits)))))
  const curve = CURVE_OIDS[key]
  return curve === undefined ? undefined : sequence(sequence(oid(OIDS.ecPublicKey), setOf(oid(curve))))
}

/** The answer of serverkeygen (RFC 7030 4.4.2): the key in PKCS#8, then the certificate. */
export function multipart(parts: readonly { type: string; body: Uint8Array }[], boundary: string, lineLength = 0): string {
  const written = parts.map(
    ({ type, body }) =>
      `--${boundary}\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: base64\r\n\r\n${encodeBody(body, lineLength).trimEnd()}\r\n`,
  )
  return `${written.join('')}--${boundary}--\r\n`
}
