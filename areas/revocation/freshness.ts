// How an authority tells of revocations at this moment, for the room that watches over it: its lists with their ages, and who signs its answers.
// Three readings for a whole tenancy, as it is asked every minute.

import { crlAddressOf, type Issuer } from '#areas/authorities/service.ts'
import type { Database } from '#core/server/database.ts'
import { deltaList, partsOf, usualStatusSettings, wholeList, type StatusSettings } from './rules.ts'
import { crlSummaries } from './server/crl-store.ts'
import { deltaAddressOf } from './server/crl.ts'
import { newestSigners } from './server/signer-store.ts'
import { allStatusSettings } from './server/store.ts'
import { signerIsDue, signerServes, type Life } from './signing.ts'

export type Freshness = {
  settings: StatusSettings
  /** The whole first; `list` is undefined for one that was never made. */
  lists: { part: number; url: string; list: { number: number; thisUpdate: Date; nextUpdate: Date } | undefined }[]
  signer: (Life & { serialHex: string; certificate: Uint8Array }) | undefined
  /** A signer is to be made or renewed. */
  signerDue: boolean
}

/** The whole lists that somebody brought, of authorities whose key is elsewhere, by the authority. */
export async function suppliedLists(db: Database, tenantId: string): Promise<Map<string, { thisUpdate: Date; nextUpdate: Date }>> {
  const whole = (await crlSummaries(db, tenantId)).filter(({ part }) => part === wholeList)
  return new Map(whole.map((list) => [list.ca_id, { thisUpdate: list.this_update, nextUpdate: list.next_update }]))
}

/** Of each of these authorities, by its id. */
export async function freshnessOf(db: Database, tenantId: string, issuers: readonly Issuer[], now: Date): Promise<Map<string, Freshness>> {
  const lists = Map.groupBy(await crlSummaries(db, tenantId), ({ ca_id: caId }) => caId)
  const settingsBy = await allStatusSettings(db, tenantId)
  const signers = new Map((await newestSigners(db, tenantId)).map((signer) => [signer.ca_id, signer]))
  return new Map(
    issuers.map((issuer) => {
      const settings = settingsBy.get(issuer.caId) ?? usualStatusSettings
      const own = new Map((lists.get(issuer.caId) ?? []).map((list) => [list.part, list]))
      const row = settings.signedBy === 'authority' ? undefined : signers.get(issuer.caId)
      const newest = row && { notBefore: row.not_before, notAfter: row.not_after, serialHex: row.serial_hex, certificate: row.certificate }
      return [
        issuer.caId,
        {
          settings,
          lists: partsOf(issuer, settings).map((part) => {
            const list = own.get(part)
            return {
              part,
              url: part === deltaList ? deltaAddressOf(issuer) : crlAddressOf(issuer, part),
              list: list && { number: list.number, thisUpdate: list.this_update, nextUpdate: list.next_update },
            }
          }),
          signer: newest !== undefined && signerServes(newest, now) ? newest : undefined,
          signerDue: settings.signedBy !== 'authority' && signerIsDue(newest, issuer, now),
        },
      ]
    }),
  )
}
