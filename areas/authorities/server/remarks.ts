// What there is to say of an authority's certificate that does not forbid it: before it is signed, and in the answer once it is.

import { dayText } from '#core/contract/days.ts'
import { inTenant } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { lintCertificate } from '#standards/lint/lint.ts'
import { say } from '#standards/say/say.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { defaultYears, endOfValidity, type AuthorityKind } from '../rules.ts'
import { findHeldCertificate } from './certificate-store.ts'
import type { Validity } from './renewal.ts'
import { findAuthority } from './store.ts'

export type Remark = { severity: 'warn' | 'error' | 'fatal'; code: string; message: string }

/** By the bytes that would be signed, or were. */
export const remarksOn = (tbsOrCertificate: Uint8Array): Remark[] =>
  lintCertificate(tbsOrCertificate, { profile: 'ca' }).map(({ severity, code, message }) => ({ severity, code, message }))

/** Of a certificate from outside, with the one that signed it: nobody verifies it once that has ended. */
export function remarksOnImported(own: Uint8Array, issuer: Uint8Array | undefined): Remark[] {
  const [notAfter, end] = [parseCertificate(own).notAfter, issuer && parseCertificate(issuer).notAfter]
  const beyond = end !== undefined && notAfter > end
  const message = `It is valid until ${dayText(notAfter)}, and the authority that signed it only until ${end && dayText(end)}: it is of no use after that.`
  return [...remarksOn(own), ...(beyond ? [{ severity: 'warn' as const, code: 'w_validity_beyond_issuer', message }] : [])]
}

/** That it ends with its issuer, where more was asked for. */
export const remarkOnCut = (cut: boolean, notAfter: Date): Remark[] =>
  cut
    ? [
        {
          severity: 'warn',
          code: 'w_validity_cut',
          message: say`Its issuer ends on ${dayText(notAfter)}, and so does it: what was asked for lies beyond that.`,
        },
      ]
    : []

type Life = { kind: AuthorityKind; notBefore: Date; notAfter: Date }

const isCut = ({ kind, notBefore, notAfter }: Life, { validityPeriod, validityPeriodUnits }: Validity): boolean =>
  kind === 'subordinate' &&
  endOfValidity(notBefore, validityPeriod ?? defaultYears[kind], validityPeriod === undefined ? 'YEARS' : validityPeriodUnits) > notAfter

/** Where its key or its issuer's is out of reach there is no certificate yet, and nothing to say of it. */
export async function remarksOnAuthority(house: House, tenantId: string, caId: string, asked: Validity): Promise<Remark[]> {
  const row = await inTenant(house.database, tenantId, (db) => findAuthority(db, tenantId, caId))
  return row?.certificate == null ? [] : remarksOnMade(row.certificate, row.kind, asked)
}

function remarksOnMade(certificate: Uint8Array, kind: AuthorityKind, asked: Validity): Remark[] {
  const { notBefore, notAfter } = parseCertificate(certificate)
  return [...remarksOn(certificate), ...remarkOnCut(isCut({ kind, notBefore, notAfter }, asked), notAfter)]
}

/** Of a renewed one: the authority's newest certificate, by its own id. */
export async function remarksOnHeld(house: House, tenantId: string, certificateId: string, asked: Validity): Promise<Remark[]> {
  const { held, authority } = await inTenant(house.database, tenantId, async (db) => {
    const row = await findHeldCertificate(db, tenantId, certificateId)
    return { held: row, authority: row?.ca_id == null ? undefined : await findAuthority(db, tenantId, row.ca_id) }
  })
  return held?.certificate == null || authority === undefined ? [] : remarksOnMade(held.certificate, authority.kind, asked)
}
