// Certificates on the wire: the chain and its alternates (RFC 8555 7.4.2), revocation (7.6), and when to renew (RFC 9773).

import { createHash } from 'node:crypto'
import { crossCertificatesOf } from '#areas/authorities/cross-certificates.ts'
import { findUsableIssuer } from '#areas/authorities/licensing.ts'
import { findCertificate, knownByFingerprint, type Certificate } from '#areas/certificates/service.ts'
import { revokeByProtocol, type ProtocolRevoked } from '#areas/revocation/protocols.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { ariRetrySeconds, renewalWindow } from '#standards/acme/ari.ts'
import { readBase64url } from '#standards/acme/base64url.ts'
import { canonicalAddress, identifierText } from '#standards/acme/identifiers.ts'
import { AcmeError } from '#standards/acme/problem.ts'
import { authorizationStatus } from '#standards/acme/states.ts'
import { reasonFromCode } from '#standards/crl/reasons.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { say } from '#standards/say/say.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { findAccountAuthorizations, findOrderOfCertificate } from './order-store.ts'
import { certificateOfAri } from './orders.ts'
import { certificateUrl, timed } from './presenter.ts'
import {
  actorOf,
  idIn,
  notFound,
  payloadOf,
  refusePayload,
  signedByAccount,
  signedEitherWay,
  type SignedByAccount,
  type Wire,
  type WireAnswer,
} from './wire.ts'

const isSelfSigned = (der: Uint8Array): boolean => {
  const { subjectEncoded, issuerEncoded } = parseCertificate(der)
  return Buffer.from(subjectEncoded).equals(issuerEncoded)
}

/**
 * The chains of a certificate, the usual one first: up to its root without it, because whoever trusts the root has it. Then with the root, and by each cross
 * certificate another way up. A client that wants a chain apart from the certificate gets one: the root stays where nothing else would.
 */
async function chainsOf({ db, tenantId, now }: Tenancy, { caId, certificate }: Certificate): Promise<Uint8Array[][]> {
  const issuer = caId === undefined ? undefined : await findUsableIssuer(db, tenantId, caId, now)
  if (issuer === undefined) return [[certificate]]
  const whole = issuer.chain
  const withoutRoot = whole.filter((der, at) => at === 0 || !isSelfSigned(der))
  const chains = [withoutRoot, ...(withoutRoot.length === whole.length ? [] : [whole])]
  for (const cross of await crossCertificatesOf(db, tenantId)) {
    if (cross.notAfter <= now) continue
    const at = whole.findIndex((der) =>
      Buffer.from(parseCertificate(der).subjectEncoded).equals(parseCertificate(cross.certificate).subjectEncoded),
    )
    if (at >= 0) chains.push([...whole.slice(0, at), cross.certificate])
  }
  return chains.map((chain) => [certificate, ...chain])
}

async function ownCertificate(tenancy: Tenancy, { wire, account }: SignedByAccount): Promise<Certificate> {
  const order = await findOrderOfCertificate(tenancy, idIn(wire, 'certificate'))
  if (order === undefined || order.directory_id !== wire.directory.id || order.certificate_id === null)
    throw notFound('There is no such certificate')
  if (order.account_id !== account.id) throw new AcmeError('unauthorized', say`This certificate is of another account`)
  const certificate = await findCertificate(tenancy.db, tenancy.tenantId, { certId: order.certificate_id }, tenancy.now)
  if (certificate === undefined) throw notFound('There is no such certificate')
  return certificate
}

export async function certificate(wire: Wire): Promise<WireAnswer> {
  const signed = await signedByAccount(wire)
  refusePayload(signed)
  const chosen = /^[0-9]{1,2}$/.test(wire.params['chain'] ?? '0') ? Number(wire.params['chain'] ?? '0') : -1
  const { id, chains } = await withTenancy(wire.house, wire.tenantId, async (tenancy) => {
    const own = await ownCertificate(tenancy, signed)
    return { id: own.id, chains: await chainsOf(tenancy, own) }
  })
  const chain = chains[chosen]
  if (chain === undefined) throw notFound('There is no such chain')
  const url = certificateUrl(wire.base, id)
  const others = chains.flatMap((_, at) => (at === chosen ? [] : [`<${at === 0 ? url : `${url}/${at}`}>;rel="alternate"`]))
  return {
    headers: { 'content-type': 'application/pem-certificate-chain', ...(others.length === 0 ? {} : { link: others.join(', ') }) },
    body: chain.map((der) => encodePem('CERTIFICATE', der)).join(''),
  }
}

const refusals: Partial<Record<ProtocolRevoked, () => AcmeError>> = {
  badReason: () => new AcmeError('badRevocationReason', say`This reason cannot be given`),
  missing: () => notFound('This certificate is not known here'),
  notIssuedHere: () => notFound('This certificate was not issued here'),
  notYours: () => new AcmeError('unauthorized', say`This certificate is of another account`),
  alreadyRevoked: () => new AcmeError('alreadyRevoked', say`This certificate is revoked already`),
  alreadyPending: () => new AcmeError('userActionRequired', say`Its revocation waits for somebody to agree`),
  waiting: () =>
    new AcmeError('userActionRequired', say`Its revocation was asked for and waits for somebody to agree, as its template says`),
}

export async function revoke(wire: Wire): Promise<WireAnswer> {
  const signed = await signedEitherWay(wire)
  const { certificate: text, reason: code = 0 } = payloadOf(signed)
  const der = typeof text === 'string' ? readBase64url(text) : undefined
  if (der === undefined || der.length === 0) throw new AcmeError('malformed', say`The certificate is DER in base64url without padding`)
  const reason = typeof code === 'number' ? reasonFromCode(code) : undefined
  if (reason === undefined) throw new AcmeError('badRevocationReason', say`A reason is a number of RFC 5280 5.3.1`)
  const { house, tenantId, address } = wire
  const found = await withTenancy(house, tenantId, async (tenancy) => {
    const sha256 = createHash('sha256').update(der).digest('hex')
    const known = (await knownByFingerprint(tenancy.db, tenantId, [sha256])).get(sha256)
    return known && (await findCertificate(tenancy.db, tenantId, { certId: known.id }, tenancy.now))
  })
  if (found === undefined) throw notFound('This certificate is not known here')
  const isAllowed =
    signed.account === undefined
      ? signed.key.spki.equals(parseCertificate(der).publicKey.spki)
      : await mayRevoke({ ...signed, account: signed.account }, found)
  if (!isAllowed)
    throw new AcmeError(
      'unauthorized',
      say`Only the account that has this certificate, one that has authorised all its names, and its key can revoke it`,
    )
  const outcome = await revokeByProtocol(house, { tenantId, certificateId: found.id, reason, by: actorOf(signed).name, address })
  const refused = refusals[outcome]
  if (refused !== undefined) throw refused()
  return {}
}

/** RFC 8555 7.6: the account that ordered it, or one that holds valid authorisations for all its names. */
async function mayRevoke({ wire, account }: SignedByAccount, { id, certificate: der }: Certificate): Promise<boolean> {
  return withTenancy(wire.house, wire.tenantId, async (tenancy) => {
    const order = await findOrderOfCertificate(tenancy, id)
    if (order?.account_id === account.id) return true
    const names = parseCertificate(der).extensions.flatMap((extension) => (extension.type === 'subjectAltName' ? extension.names : []))
    const wanted = names.map((name) => {
      if (name.type === 'dNSName') return identifierText({ type: 'dns', value: name.value.toLowerCase() })
      return name.type === 'iPAddress' ? identifierText({ type: 'ip', value: canonicalAddress(name.value) ?? name.value }) : undefined
    })
    const valid = (await findAccountAuthorizations(tenancy, account.id)).filter(
      (one) => authorizationStatus(timed(one), tenancy.now) === 'valid',
    )
    const held = new Set(valid.map(({ type, value, wildcard }) => identifierText({ type, value: wildcard ? `*.${value}` : value })))
    return wanted.length > 0 && wanted.every((name) => name !== undefined && held.has(name))
  })
}

/** Asked by anybody: of what an account has ordered here, when it should be renewed. */
export async function renewal(wire: Wire): Promise<WireAnswer> {
  const { house, tenantId, directory, now, params } = wire
  if (!directory.settings.renewalInformation) throw notFound('This directory tells nothing of renewals')
  const found = await withTenancy(house, tenantId, async (tenancy) => {
    const one = await certificateOfAri(tenancy, params['certificate'] ?? '')
    const order = one && (await findOrderOfCertificate(tenancy, one.id))
    return order?.directory_id === directory.id ? one : undefined
  })
  if (found === undefined) throw notFound('This certificate is not known here')
  const life = { notBefore: found.validFrom, notAfter: found.validTo }
  const { start, end } = renewalWindow(life, now, found.revoked !== undefined)
  return {
    headers: { 'retry-after': String(ariRetrySeconds(life)) },
    body: { suggestedWindow: { start: start.toISOString(), end: end.toISOString() } },
  }
}
