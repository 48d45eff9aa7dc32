import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { createDefaultTemplates } from '#areas/templates/service.ts'
import { inTenant } from '#core/server/database.ts'
import { heldUp } from '#core/testing/concurrently.ts'
import { useHouse } from '#core/testing/house.ts'
import { openToolFolder, type ToolFolder } from '#standards/tool-folder.fixture.ts'
import { revocation } from '../contract.ts'
import { lockNumbers } from './crl-store.ts'

const { create, view, list, life, addOffline, crossCertify, setIssuing, importCertificate, requestSheet } = authorities.calls
const { authorityOptions, revokeAuthority, revokeFurther, distrustSheet, uploadList, uploadedList, lists } = revocation.calls
const missing = '01890000-0000-7000-8000-000000000000'

let opinion: ToolFolder

const house = await useHouse()
const ada = await (await house.tenancy('Acme')).person({ permissions: 'all' })
const eve = await (await house.tenancy('Other')).person({ permissions: 'all' })
beforeAll(async () => {
  opinion = openToolFolder()
})
afterAll(async () => {
  opinion.remove()
})

const root = async (CN: string) => (await ada.call(create, { kind: 'root', friendlyName: CN, subject: { CN } })).caId
const below = async (issuerId: string, CN: string, more = {}) =>
  (await ada.call(create, { kind: 'subordinate', issuerId, friendlyName: CN, subject: { CN }, ...more })).caId
const pemOf = async (caId: string) => (await ada.call(view, { caId })).certificate?.pem ?? ''

async function servedList(caId: string): Promise<string> {
  const { publicId } = await ada.call(view, { caId })
  const der = opinion.write(`${caId}.der`, new Uint8Array(await (await house.fetch(`/pki/crl/${publicId}.crl`)).arrayBuffer()))
  return opinion.write(`${caId}.crl`, opinion.run('openssl', 'crl', '-inform', 'DER', '-in', der))
}

describe('revoking an authority', () => {
  it('puts its certificate on the list of its issuer, stops it from issuing, and says how much falls with it', async () => {
    const rootId = await root('Fall Root')
    const caId = await below(rootId, 'Fall Middle', { pathLength: 1 })
    const bottom = await below(caId, 'Fall Bottom')
    expect(await ada.call(authorityOptions, { caId })).toMatchObject({
      certificates: 1,
      valid: { count: 1, more: false },
      below: [{ caId: bottom }],
      reasons: expect.arrayContaining(['cACompromise']),
    })
    await expect(ada.call(revokeAuthority, { caId, reason: 'cACompromise', confirm: 'Fall Midle' })).rejects.toMatchObject({
      fields: [{ field: 'confirm', says: 'Type the name of the authority: Fall Middle' }],
    })
    await expect(ada.call(revokeAuthority, { caId, reason: 'certificateHold', confirm: 'Fall Middle' })).rejects.toMatchObject({
      fields: [{ field: 'reason' }],
    })
    for (const id of [caId, missing])
      await expect(eve.call(revokeAuthority, { caId: id, reason: 'cACompromise', confirm: 'Fall Middle' })).rejects.toMatchObject({
        status: 404,
        code: 'missing',
      })

    const file = opinion.write('middle.pem', await pemOf(caId))
    const trusted = opinion.write('fall-root.pem', await pemOf(rootId))
    expect(await ada.call(revokeAuthority, { caId, reason: 'cACompromise', confirm: 'Fall Middle' })).toEqual({ certificates: 1 })
    expect(await ada.call(view, { caId })).toMatchObject({ issuing: false, revocation: { reason: 'cACompromise' } })
    await expect(ada.call(setIssuing, { caId, issuing: true })).rejects.toMatchObject({ code: 'revoked' })
    await expect(
      ada.call(create, { kind: 'subordinate', issuerId: caId, friendlyName: 'Too late', subject: { CN: 'Too late' } }),
    ).rejects.toMatchObject({ fields: [{ field: 'issuerId', says: 'Fall Middle is revoked: nobody would trust what it issues' }] })
    await house.runJob(revocation.jobs.lists)
    expect(opinion.ask('openssl', 'verify', '-crl_check', '-CAfile', trusted, '-CRLfile', await servedList(rootId), file).text).toMatch(
      /certificate revoked/,
    )
    await expect(ada.call(revokeAuthority, { caId, reason: 'cACompromise', confirm: 'Fall Middle' })).rejects.toMatchObject({
      code: 'revoked',
    })
    // It still tells about what it has signed.
    expect(opinion.run('openssl', 'crl', '-noout', '-text', '-in', await servedList(caId))).toContain('No Revoked Certificates')
  })

  it('is not undone by who switches issuing on while it is under way', async () => {
    const rootId = await root('Race Root')
    const caId = await below(rootId, 'Race Issuing')
    await ada.call(setIssuing, { caId, issuing: false })
    // The revocation has written all but its event when issuing is switched on.
    const [revoked, on] = await heldUp<unknown>(house, 'lock table events in share mode', [
      () => ada.call(revokeAuthority, { caId, reason: 'cACompromise', confirm: 'Race Issuing' }),
      () => ada.call(setIssuing, { caId, issuing: true }),
    ])
    expect(revoked).toMatchObject({ status: 'fulfilled' })
    expect(on).toMatchObject({ status: 'rejected', reason: { code: 'revoked' } })
    expect(await ada.call(view, { caId })).toMatchObject({ issuing: false, revocation: { reason: 'cACompromise' } })
  })

  it('ends issuing whatever the switch says', async () => {
    const rootId = await root('Switch Root')
    const caId = await below(rootId, 'Switch Issuing')
    const ids = await inTenant(house.house.database, ada.tenantId, (db) =>
      createDefaultTemplates(db, { tenantId: ada.tenantId, caId, now: house.clock.now() }),
    )
    await ada.call(revokeAuthority, { caId, reason: 'cACompromise', confirm: 'Switch Issuing' })
    await house.asOwner(`update authorities set issuing = true where id = '${caId}'`)
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
      'switch.key',
      '-subj',
      '/CN=switch.example.org',
    )
    await expect(
      ada.call(certificates.calls.requestForDevice, { templateId: ids['Device'] ?? '', csr, values: { DNS: ['switch.example.org'] } }),
    ).rejects.toMatchObject({ fields: [{ says: 'Switch Issuing is revoked: nobody would trust what it issues' }] })
  })

  it('is told by what it has issued, and by what stands below it, whose own status stays', async () => {
    const rootId = await root('Told Root')
    const caId = await below(rootId, 'Told Middle', { pathLength: 1 })
    const bottom = await below(caId, 'Told Bottom')
    const ids = await inTenant(house.house.database, ada.tenantId, (db) =>
      createDefaultTemplates(db, { tenantId: ada.tenantId, caId: bottom, now: house.clock.now() }),
    )
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
      '/CN=told.example.org',
      '-addext',
      'subjectAltName=DNS:told.example.org',
    )
    const { certificateId: certId = '' } = await ada.call(certificates.calls.requestForDevice, {
      templateId: ids['Device'] ?? '',
      csr,
      values: { DNS: ['told.example.org'] },
    })
    expect((await ada.call(certificates.calls.info, { certId })).revokedAbove).toBeUndefined()
    expect((await ada.call(authorityOptions, { caId })).valid).toEqual({ count: 2, more: false })
    await ada.call(revokeAuthority, { caId, reason: 'cACompromise', confirm: 'Told Middle' })
    expect(await ada.call(certificates.calls.info, { certId })).toMatchObject({
      certificate: { status: 'active' },
      revokedAbove: { name: 'Told Middle', reason: 'cACompromise' },
    })
  })

  it('takes back every certificate that authorities here gave to it, cross-certificates and renewed ones too', async () => {
    const rootId = await root('Many Root')
    const second = await root('Many Second Root')
    const caId = await below(rootId, 'Many Issuing', { validityPeriod: 1 })
    await ada.call(authorities.calls.renew, { caId, validityPeriod: 2 })
    await ada.call(crossCertify, { caId: second, otherCaId: caId })
    expect((await ada.call(authorityOptions, { caId })).certificates).toBe(3)
    expect(await ada.call(revokeAuthority, { caId, reason: 'superseded', confirm: 'Many Issuing' })).toEqual({ certificates: 3 })
    expect((await ada.call(life, { caId })).certificates.map(({ revocation: taken }) => taken?.reason)).toEqual([
      'superseded',
      'superseded',
      'superseded',
    ])
  })

  it('can take back a cross-certificate alone, and the authority goes on', async () => {
    const rootId = await root('Cross Root')
    const other = await root('Crossed Root')
    const { certificateId } = await ada.call(crossCertify, { caId: rootId, otherCaId: other })
    for (const id of [certificateId, missing])
      await expect(eve.call(revokeFurther, { certificateId: id, reason: 'superseded' })).rejects.toMatchObject({
        status: 404,
        code: 'missing',
      })
    await ada.call(revokeFurther, { certificateId, reason: 'superseded' })
    expect(await ada.call(view, { caId: other })).toMatchObject({ issuing: true })
    expect((await ada.call(view, { caId: other })).revocation).toBeUndefined()
    expect((await ada.call(life, { caId: rootId })).given).toMatchObject([{ certificateId, revocation: { reason: 'superseded' } }])
    await expect(ada.call(revokeFurther, { certificateId, reason: 'superseded' })).rejects.toMatchObject({ code: 'revoked' })
    const [main] = (await ada.call(life, { caId: other })).certificates
    await expect(ada.call(revokeFurther, { certificateId: main?.certificateId ?? '', reason: 'superseded' })).rejects.toMatchObject({
      code: 'main',
    })
  })

  it('is not done to a root, for which there is a sheet that tells whom to ask', async () => {
    const caId = await root('Proud Root')
    await below(caId, 'Proud Issuing')
    expect(await ada.call(authorityOptions, { caId })).toMatchObject({ refusal: 'root', says: expect.stringMatching(/signs itself/) })
    await expect(ada.call(revokeAuthority, { caId, reason: 'cACompromise', confirm: 'Proud Root' })).rejects.toMatchObject({
      status: 409,
      code: 'root',
    })
    const sheet = Buffer.from((await ada.call(distrustSheet, { caId })).content, 'base64').toString()
    const fingerprint = opinion
      .run('openssl', 'x509', '-noout', '-fingerprint', '-sha256', '-in', opinion.write('proud.pem', await pemOf(caId)))
      .trim()
      .replace(/.*=/, '')
    expect(sheet).toContain(fingerprint)
    expect(sheet).toContain('Proud Issuing')
  })
})

describe('the lists of an offline authority', () => {
  let offlineId: string
  let subId: string
  const config = () =>
    `[ca]\ndefault_ca=d\n[d]\ndatabase=${opinion.folder}/index.txt\ncrlnumber=${opinion.folder}/crlnumber\ndefault_md=sha256\ndefault_crl_days=30\ncertificate=${opinion.folder}/vault.pem\nprivate_key=${opinion.folder}/vault.key\ncrl_extensions=c\n[c]\nauthorityKeyIdentifier=keyid\n[malformed]\n2.5.29.28=critical,DER:3004a0028200\n`

  function crl(number: string, ...more: string[]): string {
    opinion.write('crlnumber', `${number}\n`)
    return opinion.run('openssl', 'ca', '-gencrl', '-config', 'ca.cnf', ...more)
  }

  beforeAll(async () => {
    opinion.write('ca.cnf', config())
    opinion.write('index.txt', '')
    opinion.write(
      'sub.cnf',
      'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n',
    )
    opinion.run(
      'openssl',
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      'vault.key',
      '-out',
      'vault.pem',
      '-days',
      '3650',
      '-subj',
      '/O=Vault/CN=Vault Root',
      '-addext',
      'basicConstraints=critical,CA:TRUE',
      '-addext',
      'keyUsage=critical,keyCertSign,cRLSign',
    )
    offlineId = (await ada.call(addOffline, { friendlyName: 'Vault', certificate: opinion.run('openssl', 'x509', '-in', 'vault.pem') }))
      .caId
    subId = (await ada.call(create, { kind: 'outside', issuerId: offlineId, friendlyName: 'Vaulted', subject: { CN: 'Vaulted' } })).caId
    opinion.write('sub.csr', Buffer.from((await ada.call(requestSheet, { caId: subId })).content, 'base64'))
    opinion.run(
      'openssl',
      'x509',
      '-req',
      '-in',
      'sub.csr',
      '-CA',
      'vault.pem',
      '-CAkey',
      'vault.key',
      '-CAcreateserial',
      '-days',
      '900',
      '-extfile',
      'sub.cnf',
      '-out',
      'sub.pem',
    )
    await ada.call(importCertificate, { caId: subId, certificate: opinion.run('openssl', 'x509', '-in', 'sub.pem') })
  })

  it('are published as they came, and never go back', async () => {
    const { publicId } = await ada.call(view, { caId: offlineId })
    expect((await house.fetch(`/pki/crl/${publicId}.crl`)).status).toBe(404)
    const first = crl('0A')
    expect(await ada.call(uploadList, { caId: offlineId, list: first })).toEqual({ number: 10, entries: 0, revoked: 0 })
    const served = await house.fetch(`/pki/crl/${publicId}.crl`)
    expect(served.headers.get('content-type')).toBe('application/pkix-crl')
    const etag = served.headers.get('etag') ?? ''
    const der = opinion.write('served.der', new Uint8Array(await served.arrayBuffer()))
    expect(opinion.run('openssl', 'crl', '-inform', 'DER', '-in', der)).toBe(first)
    expect((await house.fetch(`/pki/crl/${publicId}.crl`, { headers: { 'if-none-match': etag } })).status).toBe(304)
    expect(await ada.call(uploadedList, { caId: offlineId })).toMatchObject({ state: 'fresh', list: { number: 10, entries: 0 } })
    const blame = (says: RegExp) => ({ status: 400, fields: [{ field: 'list', says: expect.stringMatching(says) }] })
    await expect(ada.call(uploadList, { caId: offlineId, list: first })).rejects.toMatchObject(blame(/here already/))
    await expect(ada.call(uploadList, { caId: offlineId, list: crl('09') })).rejects.toMatchObject(
      blame(/never goes back: this is 9, and the last was 10/),
    )
    expect((await ada.call(lists, {})).lists.find(({ caId }) => caId === offlineId)).toMatchObject({ number: 10, state: 'fresh' })
  })

  it('are refused where they are of somebody else, ended, without a number, or no list', async () => {
    const says = (text: RegExp) => ({ status: 400, fields: [{ field: 'list', says: expect.stringMatching(text) }] })
    const rootId = await root('Online Root')
    await house.runJob(revocation.jobs.lists)
    await expect(
      ada.call(uploadList, { caId: offlineId, list: opinion.run('openssl', 'crl', '-in', await servedList(rootId)) }),
    ).rejects.toMatchObject(says(/of CN=Online Root, not of CN=Vault Root/))
    await expect(ada.call(uploadList, { caId: rootId, list: crl('20') })).rejects.toMatchObject({ status: 409, code: 'online' })
    await expect(eve.call(uploadList, { caId: offlineId, list: crl('20') })).rejects.toMatchObject({ status: 404, code: 'missing' })
    await expect(ada.call(uploadList, { caId: offlineId, list: opinion.run('openssl', 'x509', '-in', 'vault.pem') })).rejects.toMatchObject(
      says(/Bring a revocation list/),
    )
    await expect(ada.call(uploadList, { caId: offlineId, list: 'good morning' })).rejects.toMatchObject({ status: 400 })
    await expect(
      ada.call(uploadList, {
        caId: offlineId,
        list: crl('20', '-crl_lastupdate', '20200101000000Z', '-crl_nextupdate', '20200201000000Z'),
      }),
    ).rejects.toMatchObject(says(/has ended/))
    await expect(
      ada.call(uploadList, {
        caId: offlineId,
        list: crl('20', '-crl_lastupdate', '20900101000000Z', '-crl_nextupdate', '20900201000000Z'),
      }),
    ).rejects.toMatchObject(says(/lies ahead/))
    await expect(ada.call(uploadList, { caId: offlineId, list: crl('20', '-crlexts', 'malformed') })).rejects.toMatchObject(
      says(/Expected fullName/),
    )
    const broken = Buffer.from(crl('20').replaceAll(/-----.*-----|\n/g, ''), 'base64')
    broken[broken.length - 1] = (broken[broken.length - 1] ?? 0) ^ 1
    await expect(ada.call(uploadList, { caId: offlineId, list: broken.toString('base64') })).rejects.toMatchObject(says(/signature/i))
  })

  it('are read before anything is locked: a bad one is refused while another is being published', async () => {
    await inTenant(house.house.database, ada.tenantId, async (db) => {
      await lockNumbers(db, offlineId)
      await expect(
        ada.call(uploadList, { caId: offlineId, list: opinion.run('openssl', 'x509', '-in', 'vault.pem') }),
      ).rejects.toMatchObject({ status: 400, fields: [{ field: 'list' }] })
    })
  })

  it('are warned about before they end, and take an authority out of service that stands on them', async () => {
    const serial = opinion.run('openssl', 'x509', '-noout', '-serial', '-in', 'sub.pem').trim().replace('serial=', '')
    opinion.write('index.txt', `R\t331231235959Z\t260101000000Z,cACompromise\t${serial}\tunknown\t/CN=Vaulted\n`)
    expect((await ada.call(view, { caId: subId })).issuing).toBe(true)
    expect(await ada.call(uploadList, { caId: offlineId, list: crl('30') })).toEqual({ number: 48, entries: 1, revoked: 1 })
    expect(await ada.call(view, { caId: subId })).toMatchObject({ issuing: false, revocation: { reason: 'cACompromise' } })
    expect((await ada.call(list, { text: 'Vaulted' })).rows[0]?.revocation?.reason).toBe('cACompromise')
    house.clock.advance(29 * 86_400_000)
    await house.runJob(revocation.jobs.lists)
    expect((await ada.call(uploadedList, { caId: offlineId })).state).toBe('ending')
    expect((await ada.call(authorities.calls.activity, { caId: offlineId })).rows.filter(({ name }) => name === 'listEnding')).toHaveLength(
      1,
    )
  })
})
