// The list and the view of authorities, field by field as the contract has them.

import { tokensOfKeys } from '#areas/keys/places.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { countedUpTo } from '#core/contract/shapes.ts'
import type { Database } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { fingerprint, isSelfIssued, parseCertificate } from '#standards/x509/certificate.ts'
import { formatName } from '#standards/x509/names.ts'
import type { authorities } from '../contract.ts'
import { licencesGiven, licensedTemplatesOf } from '../licensing.ts'
import { authorityStatus, inTreeOrder, licenceRefusal } from '../rules.ts'
import { factsOf } from './describe.ts'
import { isMeantBy } from './found.ts'
import { countSerials } from './serial-store.ts'
import { allAuthorities, revokedAuthorities, type AuthorityRow } from './store.ts'

type ListRow = OutputOf<typeof authorities.calls.list>['rows'][number]

async function countsOf(db: Database, row: AuthorityRow): Promise<Pick<ListRow, 'issued' | 'revoked'>> {
  const { issued, revoked } = await countSerials(db, row.tenant_id, row.id, countedUpTo + 1)
  const capped = (count: number) => ({ count: Math.min(count, countedUpTo), more: count > countedUpTo })
  return { issued: capped(issued), revoked: capped(revoked) }
}

export const statusOfRow = (row: AuthorityRow, now: Date) =>
  row.certificate === null
    ? 'PendingCert'
    : authorityStatus({ notBefore: row.not_before ?? undefined, notAfter: row.not_after ?? undefined }, now)

type Revocations = Awaited<ReturnType<typeof revokedAuthorities>>

const revocationOf = (revocations: Revocations, id: string) => {
  const found = revocations.get(id)
  return found === undefined ? {} : { revocation: { at: found.at.toISOString(), reason: found.reason } }
}

/** Which templates of each authority the tenancy may use, and which other tenancies may use the authority. */
type Licences = { templates: Awaited<ReturnType<typeof licensedTemplatesOf>>; tenants: Awaited<ReturnType<typeof licencesGiven>> }

const licencesOf = async (house: House, db: Database, tenantId: string, now: Date): Promise<Licences> => ({
  templates: await licensedTemplatesOf(house, db, tenantId, now),
  tenants: await licencesGiven(db, tenantId),
})

type KeyTokens = Awaited<ReturnType<typeof tokensOfKeys>>

const tokenOf = (keyTokens: KeyTokens, keyId: string | null) => {
  const found = keyTokens.get(keyId ?? '')
  if (found === undefined) return {}
  const { tokenId, name, unavailable } = found
  return {
    token: { tokenId, name },
    ...(unavailable === undefined ? {} : { unavailable: { says: unavailable.says, since: unavailable.since.toISOString() } }),
  }
}

const plainRow = (row: AuthorityRow, revocations: Revocations, licences: Licences, keyTokens: KeyTokens, now: Date) => ({
  id: row.id,
  friendlyName: row.friendly_name,
  status: statusOfRow(row, now),
  kind: row.kind,
  ...(row.issuer_id === null ? {} : { issuerId: row.issuer_id }),
  subject: row.subject_text,
  keyAlgorithm: row.key_algorithm,
  issuing: row.issuing,
  certified: row.certificate !== null,
  ...(row.not_before === null ? {} : { notBefore: row.not_before.toISOString() }),
  ...(row.not_after === null ? {} : { notAfter: row.not_after.toISOString() }),
  ...revocationOf(revocations, row.id),
  ...tokenOf(keyTokens, row.key_id),
  licensedTemplates: (licences.templates.get(row.id) ?? []).map((flags) => ({ ...flags, loading: false })),
  licensedTenants: [
    { tenantId: row.tenant_id, enabled: true },
    ...licences.tenants
      .filter(({ caId }) => caId === row.id)
      .map(({ tenantId, term }) => ({ tenantId, enabled: licenceRefusal(term, now) === undefined })),
  ],
})

/** Those that a text means, by name, subject, serial number or fingerprint. */
export async function authoritiesMeant(db: Database, tenantId: string, text: string): Promise<AuthorityRow[]> {
  const isMeant = isMeantBy(text)
  return (await allAuthorities(db, tenantId)).filter(({ friendly_name: friendlyName, subject_text: subject, certificate }) =>
    isMeant({ friendlyName, subject, certificate: certificate ?? undefined }),
  )
}

type ListQuery = { page: number; size: number; text: string; status?: ListRow['status'] | undefined }

/** In tree order; where a filter takes the parent away, the child keeps its depth, which says where it stands. */
export async function listAuthorities(
  house: House,
  db: Database,
  tenantId: string,
  { page, size, text, status }: ListQuery,
  now: Date,
): Promise<OutputOf<typeof authorities.calls.list>> {
  const rows = await allAuthorities(db, tenantId)
  const revocations = await revokedAuthorities(db, tenantId)
  const licences = await licencesOf(house, db, tenantId, now)
  const keyTokens = await tokensOfKeys(db, tenantId)
  const byId = new Map(rows.map((row) => [row.id, row]))
  const isMeant = isMeantBy(text)
  const fitting = inTreeOrder(rows.map((row) => plainRow(row, revocations, licences, keyTokens, now))).filter(
    (row) =>
      (status === undefined || row.status === status) && isMeant({ ...row, certificate: byId.get(row.id)?.certificate ?? undefined }),
  )
  const shown: ListRow[] = []
  for (const row of fitting.slice((page - 1) * size, page * size)) {
    const stored = byId.get(row.id)
    if (stored !== undefined) shown.push({ ...row, ...(await countsOf(db, stored)) })
  }
  return { rows: shown, total: fitting.length, more: false }
}

export async function viewAuthority(
  house: House,
  db: Database,
  row: AuthorityRow,
  now: Date,
): Promise<OutputOf<typeof authorities.calls.view>> {
  const own = row.certificate === null ? undefined : parseCertificate(row.certificate)
  const above = row.issuer_chain.map((der) => parseCertificate(der))
  const caIds = new Map(
    (await allAuthorities(db, row.tenant_id)).flatMap(({ id, certificate }) =>
      certificate === null ? [] : [[certificate.toString('base64'), id]],
    ),
  )
  const chain = own === undefined ? [] : [own, ...above]
  const last = chain.at(-1)
  return {
    ...plainRow(
      row,
      await revokedAuthorities(db, row.tenant_id),
      await licencesOf(house, db, row.tenant_id, now),
      await tokensOfKeys(db, row.tenant_id),
      now,
    ),
    publicId: row.public_id,
    createdAt: row.created_at.toISOString(),
    addresses: { crl: row.crl_url, ocsp: row.ocsp_url, caIssuers: row.ca_issuers_url },
    ...(await countsOf(db, row)),
    ...(own === undefined
      ? {}
      : {
          certificate: {
            ...factsOf(own),
            serialHex: own.serialHex,
            sha256: fingerprint(own),
            sha1: fingerprint(own, 'sha1'),
            keyIdentifier: row.key_identifier.toString('hex'),
            pem: encodePem('CERTIFICATE', own.encoded),
          },
        }),
    ...(row.request === null ? {} : { request: encodePem('CERTIFICATE REQUEST', row.request) }),
    chain: chain.map((certificate) => {
      const caId = caIds.get(Buffer.from(certificate.encoded).toString('base64'))
      return {
        subject: formatName(certificate.subject),
        notAfter: certificate.notAfter.toISOString(),
        sha256: fingerprint(certificate),
        ...(caId === undefined ? {} : { caId }),
      }
    }),
    chainComplete: last !== undefined && isSelfIssued(last),
  }
}
