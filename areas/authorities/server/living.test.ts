import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { licensing } from '#areas/licensing/contract.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { createDefaultTemplates } from '#areas/templates/service.ts'
import { inTenant } from '#core/server/database.ts'
import { heldUp } from '#core/testing/concurrently.ts'
import { useHouse } from '#core/testing/house.ts'
import { openToolFolder, type ToolFolder } from '#standards/tool-folder.fixture.ts'
import { authorities } from '../contract.ts'
import { furtherTbs, reserveFurther } from './certify.ts'
import { makerFor } from './create.ts'
import { planCross } from './cross.ts'

const { create, view, life, renew, succeed, takeOver, download, downloadCertificate, activity, setIssuing } = authorities.calls
const missing = '01890000-0000-7000-8000-000000000000'

let opinion: ToolFolder

const house = await useHouse()
const acme = await house.tenancy('Acme')
const ada = await acme.person({ permissions: 'all' })
beforeAll(async () => {
  opinion = openToolFolder()
})
afterAll(async () => {
  opinion.remove()
})

const root = async (CN: string, more = {}) =>
  (await ada.call(create, { kind: 'root', friendlyName: CN, subject: { CN, O: 'Acme' }, ...more })).caId
const below = async (issuerId: string, CN: string, more = {}) =>
  (await ada.call(create, { kind: 'subordinate', issuerId, friendlyName: CN, subject: { CN }, ...more })).caId

/** What OpenSSL thinks, at the time of the house. */
const verify = (trusted: string, ...rest: string[]): string =>
  opinion.ask(
    'openssl',
    'verify',
    '-attime',
    String(Math.floor(house.clock.now().getTime() / 1000)),
    '-x509_strict',
    '-CAfile',
    trusted,
    ...rest,
  ).text

async function pem(caId: string): Promise<string> {
  return (await ada.call(view, { caId })).certificate?.pem ?? ''
}

async function heldFile(certificateId: string, name: string): Promise<string> {
  const { content } = await ada.call(downloadCertificate, { certificateId, format: 'pem' })
  return opinion.write(name, Buffer.from(content, 'base64'))
}

/** A leaf of the authority, with its own key, as PEM. */
async function leafOf(caId: string, name: string): Promise<string> {
  const ids = await inTenant(house.house.database, acme.id, (db) =>
    createDefaultTemplates(db, { tenantId: acme.id, caId, now: house.clock.now() }),
  )
  return requestFrom(ids['Device'] ?? '', name)
}

async function requestFrom(templateId: string, name: string): Promise<string> {
  const csr = opinion.run(
    'openssl',
    'req',
    '-new',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    'leaf.key',
    '-subj',
    `/CN=${name}`,
    '-addext',
    `subjectAltName=DNS:${name}`,
  )
  const { certificateId = '' } = await ada.call(certificates.calls.requestForDevice, { templateId, csr, values: { DNS: [name] } })
  return (await ada.call(certificates.calls.info, { certId: certificateId })).certificate.pem
}

describe('renewing with the same key', () => {
  it('gives a root a later end, under the same key and name, and its leaves verify under either certificate', async () => {
    const caId = await root('Renewed Root', { validityPeriod: 2 })
    const first = opinion.write('first.pem', await pem(caId))
    const leaf = opinion.write('leaf.pem', await leafOf(caId, 'renewed.example.org'))
    house.clock.advance(60_000)
    const { certificateId } = await ada.call(renew, { caId, validityPeriod: 10 })
    const second = opinion.write('second.pem', await pem(caId))
    // The leaf; what it signed for itself is not counted.
    expect((await ada.call(view, { caId })).issued).toEqual({ count: 1, more: false })
    expect(await ada.call(life, { caId })).toMatchObject({
      certificates: [
        { role: 'main', putForward: false, signed: true },
        { certificateId, role: 'main', putForward: true, signed: true, issuerId: caId },
      ],
      given: [],
    })
    for (const trusted of [first, second]) {
      expect(verify(trusted, trusted)).toContain('OK')
      expect(verify(trusted, leaf)).toContain('OK')
    }
    expect((await ada.call(activity, { caId })).rows.map(({ name }) => name).toSorted()).toEqual([
      'certified',
      'created',
      'furtherCertified',
      'furtherReserved',
    ])
  })

  it('gives a subordinate a later end from its issuer, in the chains of those below it, too', async () => {
    const rootId = await root('Deep Root')
    const middle = await below(rootId, 'Deep Middle', {
      validityPeriod: 1,
      pathLength: 1,
      permittedNames: [{ type: 'DNS', value: 'example.org' }],
    })
    const bottom = await below(middle, 'Deep Bottom')
    const old = (await ada.call(view, { caId: middle })).certificate
    await ada.call(renew, { caId: middle, validityPeriod: 5 })
    const found = (await ada.call(view, { caId: middle })).certificate
    expect(found).toMatchObject({
      subject: old?.subject,
      keyIdentifier: old?.keyIdentifier,
      pathLength: 1,
      permittedNames: [{ type: 'dNSName', value: 'example.org' }],
      keyUsages: old?.keyUsages,
    })
    expect(found?.serialHex).not.toBe(old?.serialHex)
    const { content } = await ada.call(download, { caId: bottom, format: 'chain' })
    const chain = opinion.write('deep.pem', Buffer.from(content, 'base64'))
    expect(Buffer.from(content, 'base64').toString()).toContain(found?.pem.trim())
    expect(verify(opinion.write('deep-root.pem', await pem(rootId)), '-untrusted', chain, chain)).toContain('OK')
    // Both are the authority's, and both are given out where somebody asks for all.
    const all = await ada.call(download, { caId: middle, format: 'all' })
    expect(
      Buffer.from(all.content, 'base64')
        .toString()
        .match(/BEGIN CERTIFICATE/g),
    ).toHaveLength(3)
    const { publicId } = await ada.call(view, { caId: middle })
    opinion.write('all.p7c', new Uint8Array(await (await house.fetch(`/pki/ca/${publicId}.p7c`)).arrayBuffer()))
    expect(opinion.run('openssl', 'pkcs7', '-inform', 'DER', '-in', 'all.p7c', '-noout', '-print_certs').match(/subject=/g)).toHaveLength(3)
  })

  it('is refused where nothing would be won, where the issuer may not, and where the key is elsewhere', async () => {
    const rootId = await root('Short Root', { validityPeriod: 3 })
    const caId = await below(rootId, 'Short Sub')
    await expect(ada.call(renew, { caId })).rejects.toMatchObject({
      status: 400,
      fields: [{ field: 'validityPeriod', says: expect.stringMatching(/Short Root ends on .*renew that one first/) }],
    })
    await expect(ada.call(renew, { caId: rootId, validityPeriod: 1 })).rejects.toMatchObject({
      fields: [{ field: 'validityPeriod', says: expect.stringMatching(/which is longer/) }],
    })
    await ada.call(setIssuing, { caId: rootId, issuing: false })
    await expect(ada.call(renew, { caId, validityPeriod: 1 })).rejects.toMatchObject({
      fields: [{ field: 'validityPeriod', says: expect.stringMatching(/switched off/) }],
    })
    const outside = (await ada.call(create, { kind: 'outside', friendlyName: 'Renew outside', subject: { CN: 'Renew outside' } })).caId
    await expect(ada.call(renew, { caId: outside })).rejects.toMatchObject({ status: 409, code: 'waiting' })
    await expect(ada.call(renew, { caId: missing })).rejects.toMatchObject({ status: 404 })
  })
})

describe('a further certificate that a crash interrupted', () => {
  it('is on record before it is signed, and is signed by the job under the serial that was on record', async () => {
    const [caId, otherCaId] = [await root('Interrupted Root'), await root('Other Root')]
    const maker = makerFor(house.house, acme.id, { name: 'Test' }, 'interrupted')
    const now = house.clock.now()
    await maker.transact(async (work) => {
      const plan = await planCross(
        work.db,
        acme.id,
        { caId, otherCaId, pathLength: 0, permittedNames: [], excludedNames: [], validityPeriod: 1, validityPeriodUnits: 'YEARS' },
        now,
      )
      if (plan === undefined) throw new Error('The authority is missing')
      await reserveFurther(work, {
        issuer: plan.issuerRow,
        caId: otherCaId,
        role: 'cross',
        tbs: (serial) => furtherTbs(plan.issuerRow, plan.further, serial),
        now,
        field: 'other',
      })
    })
    const [waiting] = (await ada.call(life, { caId })).given
    expect(waiting).toMatchObject({ role: 'cross', signed: false })
    await expect(ada.call(downloadCertificate, { certificateId: waiting?.certificateId ?? '', format: 'pem' })).rejects.toMatchObject({
      status: 404,
    })
    await house.runJob(authorities.jobs.finish)
    expect((await ada.call(life, { caId })).given[0]?.signed).toBe(false)
    house.clock.advance(90_000)
    await house.runJob(authorities.jobs.finish)
    expect((await ada.call(life, { caId })).given).toMatchObject([
      { certificateId: waiting?.certificateId, serialHex: waiting?.serialHex, signed: true },
    ])
    expect(
      verify(opinion.write('interrupted.pem', await pem(caId)), await heldFile(waiting?.certificateId ?? '', 'finished.pem')),
    ).toContain('OK')
  })
})

describe('a successor with a new key', () => {
  it('of a root is linked to the old one both ways, so that whoever trusts either verifies both', async () => {
    const oldId = await root('Rolling Root', { validityPeriod: 5 })
    const oldLeaf = opinion.write('old-leaf.pem', await leafOf(oldId, 'old.rolling.example.org'))
    const { caId: newId } = await ada.call(succeed, {
      caId: oldId,
      friendlyName: 'Rolling Root 2',
      keyAlgorithm: 'P-384',
      validityPeriod: 15,
    })
    await expect(ada.call(succeed, { caId: oldId, friendlyName: 'Another successor' })).rejects.toMatchObject({
      status: 409,
      code: 'succeeded',
    })
    const [before, after] = [await ada.call(view, { caId: oldId }), await ada.call(view, { caId: newId })]
    expect(after.subject).toBe(before.subject)
    expect(after.certificate?.keyIdentifier).not.toBe(before.certificate?.keyIdentifier)
    const [oldLife, newLife] = [await ada.call(life, { caId: oldId }), await ada.call(life, { caId: newId })]
    expect(oldLife).toMatchObject({
      successor: { caId: newId },
      certificates: [{ role: 'main' }, { role: 'link', issuerId: newId, signed: true }],
      given: [{ role: 'link', caId: newId }],
    })
    expect(newLife).toMatchObject({
      predecessor: { caId: oldId },
      certificates: [
        { role: 'link', issuerId: oldId, signed: true },
        { role: 'main', putForward: true },
      ],
      given: [{ role: 'link', caId: oldId }],
    })

    const oldRoot = opinion.write('old-root.pem', before.certificate?.pem ?? '')
    const newRoot = opinion.write('new-root.pem', after.certificate?.pem ?? '')
    const oldWithNew = await heldFile(oldLife.certificates.find(({ role }) => role === 'link')?.certificateId ?? '', 'old-with-new.pem')
    const newWithOld = await heldFile(newLife.certificates.find(({ role }) => role === 'link')?.certificateId ?? '', 'new-with-old.pem')
    const newLeaf = opinion.write('new-leaf.pem', await leafOf(newId, 'new.rolling.example.org'))
    expect(verify(oldRoot, '-untrusted', newWithOld, newLeaf)).toContain('OK')
    expect(verify(newRoot, '-untrusted', oldWithNew, oldLeaf)).toContain('OK')
    expect(verify(oldRoot, newLeaf)).toMatch(/error/)
    expect(verify(newRoot, oldLeaf)).toMatch(/error/)
    // RFC 4210 4.4: the old certified by the new for the old one's whole life.
    const dates = (file: string) => opinion.run('openssl', 'x509', '-noout', '-dates', '-in', file)
    expect(dates(oldWithNew)).toBe(dates(oldRoot))
    expect(dates(newWithOld).split('\n')[1]).toBe(dates(oldRoot).split('\n')[1])
    expect(dates(newWithOld).split('\n')[0]).toBe(dates(newRoot).split('\n')[0])
    // No serial twice under one name.
    const serials = [oldRoot, newRoot, oldWithNew, newWithOld, oldLeaf, newLeaf].map((file) =>
      opinion.run('openssl', 'x509', '-noout', '-serial', '-in', file),
    )
    expect(new Set(serials).size).toBe(6)
  })

  it('publishes lists that speak for its own addresses only, as does the old one from then on', async () => {
    const oldId = await root('Listed Root')
    const oldLeaf = opinion.write('listed-leaf.pem', await leafOf(oldId, 'listed.example.org'))
    const { caId: newId } = await ada.call(succeed, { caId: oldId, friendlyName: 'Listed Root 2' })
    const lists: string[] = []
    for (const caId of [oldId, newId]) {
      const { publicId } = await ada.call(view, { caId })
      house.clock.advance(86_400_000)
      await house.runJob(revocation.jobs.lists)
      lists.push(opinion.write(`${caId}.crl`, new Uint8Array(await (await house.fetch(`/pki/crl/${publicId}.crl`)).arrayBuffer())))
      expect(opinion.run('openssl', 'crl', '-inform', 'DER', '-noout', '-text', '-in', lists.at(-1) ?? '')).toContain(`URI:http`)
      expect(opinion.run('openssl', 'crl', '-inform', 'DER', '-noout', '-text', '-in', lists.at(-1) ?? '')).toContain(
        `/pki/crl/${publicId}.crl`,
      )
    }
    const asPem = lists.map((file) =>
      opinion.write(`${file.split('/').at(-1)}.pem`, opinion.run('openssl', 'crl', '-inform', 'DER', '-in', file)),
    )
    const trusted = opinion.write('listed-root.pem', await pem(oldId))
    const check = (list: string) => verify(trusted, '-crl_check', '-extended_crl', '-CRLfile', list, oldLeaf)
    expect(check(asPem[0] ?? '')).toContain('OK')
    // The list of the new key bears the same name, and must not vouch for what the old key signed.
    expect(check(asPem[1] ?? '')).toMatch(/error/)
  })

  it('takes over the templates at the chosen moment, and what is asked for then is issued by it', async () => {
    const rootId = await root('Over Root')
    const oldId = await below(rootId, 'Over Issuing')
    await leafOf(oldId, 'before.over.example.org')
    const { rows } = await ada.call(templates.calls.list, { caId: oldId, size: 100 })
    const device = rows.find(({ templateName }) => templateName === 'Device')
    await expect(ada.call(takeOver, { caId: oldId })).rejects.toMatchObject({ status: 409, code: 'noSuccessor' })
    const { caId: newId } = await ada.call(succeed, { caId: oldId, friendlyName: 'Over Issuing 2' })
    expect((await ada.call(view, { caId: newId })).issuerId).toBe(rootId)
    const at = new Date(house.clock.now().getTime() + 3_600_000).toISOString()
    expect(await ada.call(takeOver, { caId: oldId, at })).toEqual({ movesAt: at })
    await house.runJob(authorities.jobs.takeOver)
    expect((await ada.call(templates.calls.list, { caId: oldId, size: 100 })).total).toBe(rows.length)
    house.clock.advance(3_700_000)
    await house.runJob(authorities.jobs.takeOver)
    expect((await ada.call(templates.calls.list, { caId: oldId })).total).toBe(0)
    expect((await ada.call(templates.calls.list, { caId: newId, size: 100 })).total).toBe(rows.length)
    const leaf = opinion.write('after.pem', await requestFrom(device?.templateId ?? '', 'after.over.example.org'))
    const { content } = await ada.call(download, { caId: newId, format: 'chain' })
    expect(
      verify(
        opinion.write('over-root.pem', await pem(rootId)),
        '-untrusted',
        opinion.write('over.pem', Buffer.from(content, 'base64')),
        leaf,
      ),
    ).toContain('OK')
    expect(
      opinion.run('openssl', 'x509', '-noout', '-ext', 'authorityKeyIdentifier', '-in', leaf).replaceAll(':', '').toLowerCase(),
    ).toContain((await ada.call(view, { caId: newId })).certificate?.keyIdentifier)
    expect((await ada.call(life, { caId: oldId })).movedAt).toBeDefined()
    await expect(ada.call(takeOver, { caId: oldId })).rejects.toMatchObject({ code: 'moved' })
  })

  it('takes over once, though two say so at once and the time has come meanwhile', async () => {
    const rootId = await root('Once Root')
    const oldId = await below(rootId, 'Once Issuing')
    await ada.call(succeed, { caId: oldId, friendlyName: 'Once Issuing 2' })
    await ada.call(takeOver, { caId: oldId, at: new Date(house.clock.now().getTime() + 3_600_000).toISOString() })
    house.clock.advance(3_700_000)
    const both = await heldUp<unknown>(house, 'lock table events in share mode', [
      () => ada.call(takeOver, { caId: oldId }),
      () => ada.call(takeOver, { caId: oldId }),
      () => house.runJob(authorities.jobs.takeOver),
    ])
    expect(both).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { code: 'moved' } }, { status: 'fulfilled' }])
    expect((await ada.call(activity, { caId: oldId })).rows.filter(({ name }) => name === 'tookOver')).toHaveLength(1)
  })

  it('takes over what is licensed to another tenancy, too', async () => {
    const branch = await house.tenancy('Branch')
    const asker = await branch.person({ permissions: 'all' })
    const oldId = await root('Group Root')
    const { Device: templateId = '' } = await inTenant(house.house.database, acme.id, (db) =>
      createDefaultTemplates(db, { tenantId: acme.id, caId: oldId, now: house.clock.now() }),
    )
    await ada.call(licensing.calls.licenseAuthority, { tenantId: branch.id, caId: oldId, enabled: true })
    await ada.call(licensing.calls.licenseTemplate, { tenantId: branch.id, templateId, enabled: true })
    const { caId: newId } = await ada.call(succeed, { caId: oldId, friendlyName: 'Group Root 2' })
    await ada.call(takeOver, { caId: oldId })
    const csr = opinion.run(
      'openssl',
      'req',
      '-new',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      'branch.key',
      '-subj',
      '/CN=branch.example.org',
      '-addext',
      'subjectAltName=DNS:branch.example.org',
    )
    const { certificateId = '' } = await asker.call(certificates.calls.requestForDevice, {
      templateId,
      csr,
      values: { DNS: ['branch.example.org'] },
    })
    const leaf = opinion.write('branch.pem', (await asker.call(certificates.calls.info, { certId: certificateId })).certificate.pem)
    expect(verify(opinion.write('group-2.pem', await pem(newId)), leaf)).toContain('OK')
    expect(verify(opinion.write('group.pem', await pem(oldId)), leaf)).toMatch(/error/)
  })

  it('does not take over while it has templates of the same names', async () => {
    const oldId = await root('Stuck Root')
    await leafOf(oldId, 'stuck.example.org')
    const { caId: newId } = await ada.call(succeed, { caId: oldId, friendlyName: 'Stuck Root 2' })
    await leafOf(newId, 'stuck2.example.org')
    await expect(ada.call(takeOver, { caId: oldId })).rejects.toMatchObject({ status: 409, code: 'stuck' })
  })

  it('of another tenancy, or of nothing, is not to be had', async () => {
    const caId = await root('Private Root')
    const eve = await (await house.tenancy('Other')).person({ permissions: 'all' })
    for (const id of [caId, missing]) {
      await expect(eve.call(succeed, { caId: id, friendlyName: 'Mine' })).rejects.toMatchObject({ status: 404, code: 'missing' })
      await expect(eve.call(life, { caId: id })).rejects.toMatchObject({ status: 404 })
      await expect(eve.call(renew, { caId: id })).rejects.toMatchObject({ status: 404 })
      await expect(eve.call(takeOver, { caId: id })).rejects.toMatchObject({ status: 404 })
    }
    await expect(ada.call(succeed, { caId, friendlyName: 'Private Root' })).rejects.toMatchObject({
      status: 409,
      code: 'nameTaken',
      fields: [{ field: 'friendlyName' }],
    })
  })
})
