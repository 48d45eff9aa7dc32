// One call gathers the picture. An outside authority is known by its certificate in the chain of one of ours, or by a cross-certificate.

import { crossCertificatesOf, type CrossCertificate } from '#areas/authorities/cross-certificates.ts'
import { successions } from '#areas/authorities/followed.ts'
import { authorityStatus } from '#areas/authorities/rules.ts'
import { allOfTenancy, type AuthorityInTree } from '#areas/authorities/service.ts'
import { countsByAuthority } from '#areas/certificates/service.ts'
import { listTemplates } from '#areas/templates/service.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import type { Database } from '#core/server/database.ts'
import { serve } from '#core/server/serve.ts'
import { fingerprint, isSelfIssued, parseCertificate, type Certificate } from '#standards/x509/certificate.ts'
import { formatName } from '#standards/x509/names.ts'
import { describeKey } from '#standards/x509/public-key.ts'
import { visualiser } from '../contract.ts'
import type { Link } from '../rules.ts'

type Node = OutputOf<typeof visualiser.calls.graph>['nodes'][number]

const nothing = { active: 0, expiring: 0, expired: 0, onHold: 0, revoked: 0 }

export default serve(visualiser, {
  async graph(_input, { db, viewer, now }) {
    const own = await allOfTenancy(db, viewer.tenantId, now)
    const external = new Map<string, Certificate>()
    const links: Link[] = []
    const idOf = new Map(
      own.flatMap(({ caId, certificate }) => (certificate === undefined ? [] : [[fingerprint(parseCertificate(certificate)), caId]])),
    )
    for (const { caId, issuerId, chainAbove } of own) {
      if (issuerId !== undefined) links.push({ from: issuerId, to: caId, kind: 'signed' })
      const above = chainAbove.map((der) => parseCertificate(der))
      for (const certificate of above) if (!idOf.has(fingerprint(certificate))) external.set(fingerprint(certificate), certificate)
      if (issuerId === undefined) for (const link of linksOf(caId, above, idOf)) links.push(link)
    }
    const above = [...external].map(([id, certificate]) => externalNodeOf(id, certificate, now))
    const crosses = crossLinks(
      above,
      (await crossCertificatesOf(db, viewer.tenantId)).filter(({ notAfter }) => now <= notAfter),
    )
    for (const { predecessorId: from, successorId: to } of await successions(db, viewer.tenantId))
      links.push({ from, to, kind: 'successor' })
    return {
      nodes: [...(await ownNodes(db, viewer.tenantId, own, now)), ...above, ...crosses.externals],
      links: [...new Map([...links, ...crosses.links].map((link) => [`${link.from} ${link.to} ${link.kind}`, link])).values()],
    }
  },
})

/** Down the chain: each certificate signed the one before it. */
function linksOf(caId: string, above: readonly Certificate[], idOf: ReadonlyMap<string, string>): Link[] {
  const ids = [caId, ...above.map((certificate) => idOf.get(fingerprint(certificate)) ?? fingerprint(certificate))]
  return ids.slice(1).map((from, at) => ({ from, to: ids[at] ?? caId, kind: 'signed' }))
}

/** Who vouches for whom besides. An end that is neither ours nor above one of ours is external, known by its name. */
function crossLinks(above: readonly Node[], crosses: readonly CrossCertificate[]): { links: Link[]; externals: Node[] } {
  const externals = new Map<string, Node>()
  const idOf = (caId: string | undefined, subject: string, key: () => string): string => {
    const known = caId ?? above.find((node) => node.subject === subject)?.id
    if (known !== undefined) return known
    const external = externals.get(subject) ?? { ...externalNode, id: subject, label: shortName(subject), subject, key: key() }
    externals.set(subject, external)
    return external.id
  }
  const links = crosses.map(({ caId, issuerId, subject, issuer, notAfter, certificate }): Link => ({
    from: idOf(issuerId, issuer, () => ''),
    to: idOf(caId, subject, () => describeKey(parseCertificate(certificate).publicKey)),
    kind: 'cross',
    until: notAfter.toISOString(),
  }))
  return { links, externals: [...externals.values()] }
}

async function ownNodes(db: Database, tenantId: string, own: readonly AuthorityInTree[], now: Date): Promise<Node[]> {
  const counts = await countsByAuthority(db, tenantId, now)
  const templates = Map.groupBy(await listTemplates(db, tenantId, now), ({ caId }) => caId)
  return own.map(({ caId, friendlyName, subject, kind, status, revoked, issuing, keyAlgorithm, notAfter }) => ({
    id: caId,
    caId,
    label: friendlyName,
    subject,
    kind,
    status,
    revoked,
    issuing,
    key: keyAlgorithm,
    ...(notAfter === undefined ? {} : { notAfter: notAfter.toISOString() }),
    templates: templates.get(caId)?.length ?? 0,
    certificates: { ...nothing, ...counts.get(caId) },
  }))
}

const externalNode = { kind: 'outside', revoked: false, issuing: false, templates: 0, certificates: nothing } as const

const shortName = (subject: string): string => /CN=([^,]+)/.exec(subject)?.[1] ?? subject

function externalNodeOf(id: string, certificate: Certificate, now: Date): Node {
  const subject = formatName(certificate.subject)
  return {
    ...externalNode,
    id,
    label: shortName(subject),
    subject,
    kind: isSelfIssued(certificate) ? 'root' : 'outside',
    status: authorityStatus({ notBefore: certificate.notBefore, notAfter: certificate.notAfter }, now),
    key: describeKey(certificate.publicKey),
    notAfter: certificate.notAfter.toISOString(),
  }
}
