// Whether a text is, or holds, a private key. Where a certificate or a request is asked for people paste the file beside it, and what was sent
// once is no secret any more: so this is asked before anything leaves the browser.

const label = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/

/** By its label alone (RFC 7468 10 and 11, and the older "RSA PRIVATE KEY" and the like). */
export const isLabelledPrivateKey = (text: string): boolean => label.test(text)

/** PEM by its label; base64 without a label, or under a wrong one, by how the DER begins. A PKCS#12 counts as one unless `pkcs12` says that it is asked for. */
export function holdsPrivateKey(text: string, { pkcs12 = false }: { pkcs12?: boolean } = {}): boolean {
  if (isLabelledPrivateKey(text)) return true
  const bodies = text.includes('-----BEGIN')
    ? [...text.matchAll(/-----BEGIN [^-]+-----(?:\\[rn]|\s)*([A-Za-z0-9+/]{16})/g)].map(([, body = '']) => body)
    : [/^\s*([A-Za-z0-9+/]{16})/.exec(text)?.[1] ?? '']
  return bodies.some((body) => {
    const version = keyVersion(Uint8Array.from(atob(body), (character) => character.charCodeAt(0)))
    return version !== undefined && !(pkcs12 && version === pkcs12Version)
  })
}

/**
 * A private key (PKCS#8 RFC 5958, PKCS#1 RFC 8017 A.1.2, SEC1 RFC 5915) and a PKCS#12 are a SEQUENCE that begins with its version, an INTEGER.
 * Certificates, requests, lists and PKCS#7 begin with a SEQUENCE or an OID.
 */
function keyVersion(der: Uint8Array): number | undefined {
  if (der[0] !== 0x30) return undefined
  const length = der[1] ?? 0
  const inside = length < 0x80 ? 2 : 2 + (length & 0x7f)
  return der[inside] === 0x02 && der[inside + 1] === 1 ? der[inside + 2] : undefined
}

/** RFC 7292 4; no other form of key has it. */
const pkcs12Version = 3
