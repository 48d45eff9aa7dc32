// What an authority publishes about revocations: its lists with their age and size, and the settings.

import { crlAddressOf, findIssuer, type Issuer } from '#areas/authorities/service.ts'
import type { DraftOf } from '#core/contract/contract.ts'
import type { Database } from '#core/server/database.ts'
import { encodePem } from '#standards/pem/pem.ts'
import type { revocation } from '../contract.ts'
import { deltaList, listState, listStates, partsOf, type ListState } from '../rules.ts'
import { renewalOf } from '../signing.ts'
import { crlSummaries, type CrlSummary } from './crl-store.ts'
import { deltaAddressOf, dueParts } from './crl.ts'
import { isOnline } from './presenter.ts'
import type { CertifiedSigner } from './signer-store.ts'
import { dueSigner, lifeOf, servingSigner, tokenOf } from './signers.ts'
import { statusSettingsOf } from './store.ts'

type Publication = DraftOf<{ input: (typeof revocation)['calls']['publication']['output'] }>

const addressOf = (issuer: Issuer, part: number): string => (part === deltaList ? deltaAddressOf(issuer) : crlAddressOf(issuer, part))

export const stateOf = (list: CrlSummary | undefined, now: Date): ListState =>
  listState(list && { thisUpdate: list.this_update, nextUpdate: list.next_update }, now)

/** In the order of listStates; a list that nobody has asked for yet is no fault, so `none` counts only where there is nothing else. */
export const worstOf = (states: readonly ListState[]): ListState => {
  const made = states.filter((state) => state !== 'none')
  return made.length === 0 ? 'none' : (listStates[Math.max(...made.map((state) => listStates.indexOf(state)))] ?? 'none')
}

const presentSigner = (signer: CertifiedSigner | undefined, issuer: Issuer): Publication['signer'] =>
  signer && {
    serialNumber: signer.serial_hex,
    key: signer.key_algorithm,
    notBefore: signer.not_before.toISOString(),
    notAfter: signer.not_after.toISOString(),
    renewsAt: signer.not_after < issuer.notAfter ? renewalOf(lifeOf(signer)).toISOString() : undefined,
    pem: encodePem('CERTIFICATE', signer.certificate),
  }

export async function publicationOf(db: Database, tenantId: string, caId: string, now: Date): Promise<Publication | undefined> {
  const issuer = await findIssuer(db, tenantId, caId, now)
  if (issuer === undefined) return undefined
  const settings = await statusSettingsOf(db, tenantId, caId)
  const newest = await crlSummaries(db, tenantId, caId)
  const due = new Set(isOnline(issuer) ? await dueParts(db, issuer, settings, newest, now) : [])
  const byPart = new Map(newest.map((list) => [list.part, list]))
  return {
    caId,
    caName: issuer.friendlyName,
    ocspUrl: issuer.addresses.ocsp,
    settings: { ...settings, shards: issuer.crlShards },
    onToken: (await tokenOf(db, issuer)) !== undefined,
    signer: settings.signedBy === 'authority' ? undefined : presentSigner(await servingSigner(db, tenantId, caId, now), issuer),
    signerDue: (await dueSigner(db, tenantId, caId, now)) !== undefined,
    lists: partsOf(issuer, settings).map((part) => {
      const list = byPart.get(part)
      return {
        part,
        number: list?.number,
        entries: list?.entry_count ?? 0,
        bytes: list?.bytes ?? 0,
        thisUpdate: list?.this_update.toISOString(),
        nextUpdate: list?.next_update.toISOString(),
        state: stateOf(list, now),
        due: due.has(part),
        url: addressOf(issuer, part),
      }
    }),
  }
}
