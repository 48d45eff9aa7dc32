// What the database knows of the authorities of a tenancy, and what follows from it for the checks that need no probe.

import { crossCertificatesOf, type CrossCertificate } from '#areas/authorities/cross-certificates.ts'
import { followedAuthorities } from '#areas/authorities/followed.ts'
import { allOfTenancy, listIssuers, type AuthorityInTree, type Issuer } from '#areas/authorities/service.ts'
import { tokensOfKeys } from '#areas/keys/places.ts'
import { suppliedLists, freshnessOf, type Freshness } from '#areas/revocation/freshness.ts'
import { deltaList, wholeList } from '#areas/revocation/rules.ts'
import type { Database } from '#core/server/database.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { crossFinding, lifeFinding, listsFinding, listLabels, signerFinding, type CheckKind, type Finding, type Life } from '../rules.ts'

export type Surveyed = AuthorityInTree & {
  /** Undefined where its key is not here. */
  issuer: Issuer | undefined
  freshness: Freshness | undefined
  life: Life | undefined
  /** Its whole list, where somebody brings it because the key is elsewhere. */
  supplied: { thisUpdate: Date; nextUpdate: Date } | undefined
  /** Its successor has taken over: that it ends is as it should be. */
  followed: boolean
  /** Certificates that it has of other authorities besides, and that it gave them. */
  crosses: readonly CrossCertificate[]
  /** Its key is out of reach, in a person's words. */
  keyProblem: string | undefined
}

/** An authority that has ended is watched for so long, so that its end is seen. */
const watchedAfterEnd = 7 * 86_400_000

/** All of the tenancy, or the one of this id. */
export async function surveyOf(db: Database, tenantId: string, now: Date, only?: string): Promise<Surveyed[]> {
  const isAsked = ({ caId }: { caId: string }) => only === undefined || caId === only
  const all = (await allOfTenancy(db, tenantId, now)).filter(isAsked)
  if (all.length === 0) return []
  const issuers = (await listIssuers(db, tenantId, now)).filter(isAsked)
  const freshness = await freshnessOf(db, tenantId, issuers, now)
  const places = await tokensOfKeys(db, tenantId)
  const supplied = all.some(({ kind }) => kind === 'offline') ? await suppliedLists(db, tenantId) : undefined
  const crosses = await crossCertificatesOf(db, tenantId)
  const followed = await followedAuthorities(db, tenantId)
  const byId = new Map(issuers.map((issuer) => [issuer.caId, issuer]))
  return all.map((authority) => {
    const issuer = byId.get(authority.caId)
    return {
      ...authority,
      issuer,
      freshness: freshness.get(authority.caId),
      supplied: authority.kind === 'offline' ? supplied?.get(authority.caId) : undefined,
      followed: followed.has(authority.caId),
      crosses: crosses.filter(({ caId, issuerId }) => caId === authority.caId || issuerId === authority.caId),
      life: lifeOf(authority, issuer),
      keyProblem: issuer && places.get(issuer.keyId)?.unavailable?.says,
    }
  })
}

function lifeOf({ certificate }: AuthorityInTree, issuer: Issuer | undefined): Life | undefined {
  if (issuer !== undefined || certificate === undefined) return issuer
  return parseCertificate(certificate)
}

const isLive = ({ status }: Surveyed): boolean => status === 'ActiveCert'

const listName = (part: number): string =>
  part === wholeList ? listLabels.whole.label : part === deltaList ? listLabels.delta.label : `part ${part}`

/** The checks that apply to an authority and need no probe. */
export function findingsOf(authority: Surveyed, now: Date): Map<CheckKind, Finding> {
  const { kind, issuer, freshness, life, revoked, followed, keyProblem, supplied } = authority
  const found = new Map<CheckKind, Finding>()
  if (life === undefined || now < life.notBefore) return found
  // Once revoked or followed it has no life to watch over; once ended, nothing but the news of it.
  if (!revoked && !followed && now.getTime() - life.notAfter.getTime() < watchedAfterEnd) found.set('life', lifeFinding(life, now))
  const crosses = authority.crosses.filter(({ notAfter }) => now.getTime() - notAfter.getTime() < watchedAfterEnd)
  if (!revoked && crosses.length > 0) found.set('cross', crossFinding(crosses, now))
  if (isLive(authority) && kind === 'offline')
    found.set('lists', listsFinding([{ name: listName(wholeList), list: supplied }], { since: life.notBefore, uploaded: true, now }))
  if (!isLive(authority) || issuer === undefined || freshness === undefined) return found
  const lists = freshness.lists.map(({ part, list }) => ({ name: listName(part), list }))
  found.set('lists', listsFinding(lists, { since: issuer.notBefore, uploaded: false, now }))
  if (freshness.settings.signedBy !== 'authority')
    found.set('signer', signerFinding(freshness.signer, { due: freshness.signerDue && !revoked, now }))
  found.set('key', keyProblem === undefined ? { name: 'fine', params: {} } : { name: 'keyUnavailable', params: { problem: keyProblem } })
  return found
}

/** Whether its addresses are to be tried. */
export const isProbed = (authority: Surveyed): authority is Surveyed & { issuer: Issuer; freshness: Freshness } =>
  isLive(authority) && authority.issuer !== undefined && authority.freshness !== undefined
