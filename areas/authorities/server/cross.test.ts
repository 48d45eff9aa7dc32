import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inTenant } from '#core/server/database.ts'
import { useHouse } from '#core/testing/house.ts'
import { openToolFolder, type ToolFolder } from '#standards/tool-folder.fixture.ts'
import { authorities } from '../contract.ts'
import { markRevoked } from '../service.ts'

const {
  create,
  view,
  life,
  previewCross,
  crossCertify,
  takeCross,
  addOffline,
  requestSheet,
  importCertificate,
  downloadCertificate,
  download,
  list,
  setIssuing,
  activity,
} = authorities.calls
const missing = '01890000-0000-7000-8000-000000000000'

let opinion: ToolFolder
let rootId: string

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

const house = await useHouse()
const ada = await (await house.tenancy('Acme')).person({ permissions: ['manageCAs'] })
const eve = await (await house.tenancy('Other')).person({ permissions: 'all' })
beforeAll(async () => {
  opinion = openToolFolder()
  opinion.write('leaf.cnf', 'basicConstraints=critical,CA:FALSE\nauthorityKeyIdentifier=keyid\nsubjectAltName=DNS:www.partner.example\n')
  opinion.write(
    'ca.cnf',
    'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n',
  )
  // Its key identifier is its own choice, and what it issues names that.
  opinion.run(
    'openssl',
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    'partner.key',
    '-out',
    'partner.pem',
    '-days',
    '3650',
    '-subj',
    '/O=Partner/CN=Partner Root',
    '-addext',
    'basicConstraints=critical,CA:TRUE',
    '-addext',
    'keyUsage=critical,keyCertSign,cRLSign',
    '-addext',
    'subjectKeyIdentifier=0102030405060708',
  )
  opinion.run('openssl', 'req', '-new', '-key', 'partner.key', '-out', 'partner.csr', '-subj', '/O=Partner/CN=Partner Root')
  opinion.run('openssl', 'req', '-new', ...newKey, '-keyout', 'www.key', '-out', 'www.csr', '-subj', '/CN=www.partner.example')
  opinion.write(
    'www.pem',
    opinion.run(
      'openssl',
      'x509',
      '-req',
      '-in',
      'www.csr',
      '-CA',
      'partner.pem',
      '-CAkey',
      'partner.key',
      '-CAcreateserial',
      '-days',
      '90',
      '-extfile',
      'leaf.cnf',
    ),
  )
  rootId = (await ada.call(create, { kind: 'root', friendlyName: 'Acme Root', subject: { CN: 'Acme Root', O: 'Acme' } })).caId
})
afterAll(async () => {
  opinion.remove()
})

const partner = () => opinion.run('openssl', 'x509', '-in', 'partner.pem')
const pemOf = async (caId: string) => (await ada.call(view, { caId })).certificate?.pem ?? ''
async function fileOf(certificateId: string, name: string): Promise<string> {
  return opinion.write(name, Buffer.from((await ada.call(downloadCertificate, { certificateId, format: 'pem' })).content, 'base64'))
}

describe('a cross-certificate for another authority', () => {
  it('is shown as it would be signed before it is, with the same faults', async () => {
    const draft = {
      caId: rootId,
      other: partner(),
      permittedNames: [{ type: 'DNS' as const, value: 'partner.example' }],
      validityPeriod: 40,
    }
    const shown = await ada.call(previewCross, draft)
    expect(shown).toMatchObject({
      subject: 'CN=Partner Root,O=Partner',
      issuer: 'CN=Acme Root,O=Acme',
      pathLength: 0,
      keyUsages: ['keyCertSign', 'cRLSign'],
      permittedNames: [{ type: 'dNSName', value: 'partner.example' }],
      shortened: true,
      remarks: [{ severity: 'warn', code: 'w_validity_authority_long' }],
    })
    expect((await ada.call(life, { caId: rootId })).given).toEqual([])
    await expect(ada.call(previewCross, { caId: rootId })).rejects.toMatchObject({ fields: [{ field: 'other' }] })
    await expect(ada.call(previewCross, { caId: rootId, other: await pemOf(rootId) })).rejects.toMatchObject({
      fields: [{ field: 'other', says: expect.stringMatching(/the key of Acme Root itself/) }],
    })
    await expect(eve.call(previewCross, draft)).rejects.toMatchObject({ status: 404, code: 'missing' })
  })

  it('for an authority here is remarked upon where it does not reach those below', async () => {
    const { caId: old } = await ada.call(create, { kind: 'root', friendlyName: 'Old Root', subject: { CN: 'Old Root', O: 'Acme' } })
    const draft = { caId: rootId, otherCaId: old }
    expect((await ada.call(previewCross, draft)).remarks).toEqual([])
    await ada.call(create, { kind: 'subordinate', issuerId: old, friendlyName: 'Old Issuing', subject: { CN: 'Old Issuing', O: 'Acme' } })
    expect((await ada.call(previewCross, draft)).remarks).toEqual([
      {
        severity: 'warn',
        code: 'outOfReach',
        message: 'No path over this certificate leads to the certificates of Old Issuing: allow more levels below it',
      },
    ])
    expect((await ada.call(previewCross, { ...draft, pathLength: 1 })).remarks).toEqual([])
  })

  it('for one that is below already is remarked upon: it is needed for nothing', async () => {
    const { caId: below } = await ada.call(create, {
      kind: 'subordinate',
      issuerId: rootId,
      friendlyName: 'Acme Below',
      subject: { CN: 'Acme Below', O: 'Acme' },
    })
    expect((await ada.call(previewCross, { caId: rootId, otherCaId: below })).remarks).toEqual([
      {
        severity: 'warn',
        code: 'alreadyBelow',
        message:
          'Acme Below has its certificate from this authority already: who trusts the one can verify what the other issues without this one',
      },
    ])
  })

  it('lets those who trust our root verify what the other issued, within its constraints', async () => {
    const { certificateId } = await ada.call(crossCertify, {
      caId: rootId,
      other: partner(),
      permittedNames: [{ type: 'DNS', value: 'partner.example' }],
      validityPeriod: 2,
    })
    const cross = await fileOf(certificateId, 'cross.pem')
    const root = opinion.write('root.pem', await pemOf(rootId))
    expect(opinion.run('openssl', 'verify', '-x509_strict', '-CAfile', root, '-untrusted', cross, 'www.pem')).toContain('OK')
    expect(opinion.ask('openssl', 'verify', '-CAfile', root, 'www.pem').ok).toBe(false)
    const text = opinion.run('openssl', 'x509', '-noout', '-text', '-in', cross)
    expect(text).toMatch(/Subject: O = Partner, CN = Partner Root/)
    expect(text).toMatch(/CA:TRUE, pathlen:0/)
    expect(text).toMatch(/Certificate Sign, CRL Sign/)
    expect(text).toMatch(/DNS:partner.example/)
    expect(text).toMatch(/01:02:03:04:05:06:07:08/)
    const [given] = (await ada.call(life, { caId: rootId })).given
    expect(given).toMatchObject({ certificateId, role: 'cross', subject: 'CN=Partner Root,O=Partner', issuerId: rootId, signed: true })
    expect(given?.caId).toBeUndefined()
    expect((await ada.call(activity, { caId: rootId })).rows.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['furtherReserved', 'furtherCertified']),
    )

    const strict = await fileOf(
      (await ada.call(crossCertify, { caId: rootId, other: partner(), permittedNames: [{ type: 'DNS', value: 'other.example' }] }))
        .certificateId,
      'strict.pem',
    )
    expect(opinion.ask('openssl', 'verify', '-CAfile', root, '-untrusted', strict, 'www.pem').text).toMatch(/permitted subtree violation/)
  })

  it('takes a request, too, which proves the key', async () => {
    const { certificateId } = await ada.call(crossCertify, { caId: rootId, other: opinion.run('openssl', 'req', '-in', 'partner.csr') })
    expect(
      opinion.run(
        'openssl',
        'verify',
        '-x509_strict',
        '-CAfile',
        opinion.write('root.pem', await pemOf(rootId)),
        await fileOf(certificateId, 'requested.pem'),
      ),
    ).toContain('OK')
  })

  it.each<[string, string, () => object | Promise<object>, RegExp]>([
    ['nothing', 'other', () => ({}), /Choose an authority here, or paste/],
    ['text', 'other', () => ({ other: 'good morning' }), /./],
    ['a leaf', 'other', () => ({ other: opinion.run('openssl', 'x509', '-in', 'www.pem') }), /basicConstraints do not say cA/],
    ['a private key', 'other', () => ({ other: opinion.run('openssl', 'pkey', '-in', 'partner.key') }), /private key/],
    [
      'a request that was tampered with',
      'other',
      () => {
        const der = Buffer.from(opinion.run('openssl', 'req', '-in', 'partner.csr').replaceAll(/-----.*-----|\n/g, ''), 'base64')
        der[der.length - 1] = (der[der.length - 1] ?? 0) ^ 1
        return { other: `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----` }
      },
      /signature/i,
    ],
    [
      'a weak key',
      'other',
      () => {
        opinion.run(
          'openssl',
          'req',
          '-x509',
          '-newkey',
          'rsa:1024',
          '-nodes',
          '-keyout',
          'weak.key',
          '-out',
          'weak.pem',
          '-days',
          '9',
          '-subj',
          '/CN=Weak',
          '-addext',
          'basicConstraints=critical,CA:TRUE',
          '-addext',
          'keyUsage=critical,keyCertSign',
        )
        return { other: opinion.run('openssl', 'x509', '-in', 'weak.pem') }
      },
      /1024/,
    ],
    ['itself', 'otherCaId', () => ({ otherCaId: rootId }), /key of Acme Root itself/],
    ['its own certificate, pasted', 'other', async () => ({ other: await pemOf(rootId) }), /key of Acme Root itself/],
    [
      'another key of its own name',
      'other',
      () => {
        opinion.run(
          'openssl',
          'req',
          '-x509',
          ...newKey,
          '-keyout',
          'twin.key',
          '-out',
          'twin.pem',
          '-days',
          '9',
          '-subj',
          '/O=Acme/CN=Acme Root',
          '-addext',
          'basicConstraints=critical,CA:TRUE',
        )
        return { other: opinion.run('openssl', 'x509', '-in', 'twin.pem') }
      },
      /succession/,
    ],
    ['an authority of nothing', 'otherCaId', () => ({ otherCaId: missing }), /no such authority/],
    [
      'a bad constraint',
      'permittedNames.0.value',
      () => ({ other: partner(), permittedNames: [{ type: 'DNS', value: 'bad name' }] }),
      /domain/,
    ],
  ])('refuses %s at its field', async (_what, field, more, says) => {
    await expect(ada.call(crossCertify, { caId: rootId, ...(await more()) })).rejects.toMatchObject({
      status: 400,
      code: 'invalid',
      fields: [{ field, says: expect.stringMatching(says) }],
    })
  })

  it('is not given by an authority that may have none below it, nor by one that is switched off, nor to one above', async () => {
    const leafy = (await ada.call(create, { kind: 'subordinate', issuerId: rootId, friendlyName: 'Leafy', subject: { CN: 'Leafy' } })).caId
    await expect(ada.call(crossCertify, { caId: leafy, other: partner() })).rejects.toMatchObject({
      fields: [{ field: 'caId', says: expect.stringMatching(/no authorities below/) }],
    })
    const deep = (
      await ada.call(create, { kind: 'subordinate', issuerId: rootId, friendlyName: 'Deep', subject: { CN: 'Deep' }, pathLength: 1 })
    ).caId
    await expect(ada.call(crossCertify, { caId: deep, otherCaId: rootId })).rejects.toMatchObject({
      fields: [{ field: 'otherCaId', says: expect.stringMatching(/circle/) }],
    })
    await ada.call(setIssuing, { caId: deep, issuing: false })
    await expect(ada.call(crossCertify, { caId: deep, other: partner() })).rejects.toMatchObject({
      fields: [{ field: 'caId', says: expect.stringMatching(/switched off/) }],
    })
    await expect(eve.call(crossCertify, { caId: rootId, other: partner() })).rejects.toMatchObject({ status: 404, code: 'missing' })
  })
})

describe('a cross-certificate between two authorities of the house', () => {
  it('stands with both, and is given out with the certificates of the one that got it', async () => {
    const otherId = (await ada.call(create, { kind: 'root', friendlyName: 'Second Root', subject: { CN: 'Second Root' } })).caId
    const { certificateId } = await ada.call(crossCertify, { caId: rootId, otherCaId: otherId, pathLength: 'none' })
    expect((await ada.call(life, { caId: otherId })).certificates).toMatchObject([
      { role: 'main', putForward: true },
      { certificateId, role: 'cross', issuerId: rootId, putForward: false },
    ])
    // Its own chain stays its own.
    expect((await ada.call(view, { caId: otherId })).chain).toHaveLength(1)
    const { publicId } = await ada.call(view, { caId: otherId })
    opinion.write('second.p7c', new Uint8Array(await (await house.fetch(`/pki/ca/${publicId}.p7c`)).arrayBuffer()))
    expect(
      opinion.run('openssl', 'pkcs7', '-inform', 'DER', '-in', 'second.p7c', '-noout', '-print_certs').match(/subject=/g),
    ).toHaveLength(3)
    await expect(eve.call(downloadCertificate, { certificateId, format: 'pem' })).rejects.toMatchObject({ status: 404 })
  })
})

describe('an authority that was revoked', () => {
  it('is certified by no other one, neither chosen nor pasted', async () => {
    const { caId: otherId } = await ada.call(create, { kind: 'root', friendlyName: 'Other branch', subject: { CN: 'Other branch' } })
    const { caId: fallenId } = await ada.call(create, {
      kind: 'subordinate',
      issuerId: rootId,
      friendlyName: 'Fallen',
      subject: { CN: 'Fallen' },
    })
    const { certificate } = await ada.call(view, { caId: fallenId })
    await inTenant(house.house.database, ada.tenantId, (db) =>
      markRevoked(db, {
        tenantId: ada.tenantId,
        caId: rootId,
        serialHex: certificate?.serialHex ?? '',
        reason: 'cACompromise',
        at: house.clock.now(),
      }),
    )
    for (const [field, named] of Object.entries({ otherCaId: { otherCaId: fallenId }, other: { other: certificate?.pem ?? '' } }))
      await expect(ada.call(crossCertify, { caId: otherId, ...named })).rejects.toMatchObject({
        status: 400,
        fields: [{ field, says: expect.stringMatching(/CN=Fallen was revoked/) }],
      })
  })
})

describe('a cross-certificate that another authority gave to ours', () => {
  it('is held against our key and name, and given out beside our own', async () => {
    const own = opinion.write('own.pem', await pemOf(rootId))
    const identifier = (await ada.call(view, { caId: rootId })).certificate?.keyIdentifier ?? ''
    opinion.write(
      'kept.cnf',
      `basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=${identifier}\nauthorityKeyIdentifier=keyid\n`,
    )
    const crossBy = (extensions: string) =>
      opinion.run(
        'openssl',
        'x509',
        '-in',
        own,
        '-CA',
        'partner.pem',
        '-CAkey',
        'partner.key',
        '-CAcreateserial',
        '-days',
        '900',
        '-extfile',
        extensions,
        '-clrext',
      )
    const cross = crossBy('kept.cnf')
    await expect(ada.call(takeCross, { caId: rootId, certificate: crossBy('ca.cnf') + partner() })).rejects.toMatchObject({
      fields: [{ field: 'certificate', says: expect.stringMatching(/key identifier/) }],
    })
    await expect(ada.call(takeCross, { caId: rootId, certificate: cross })).rejects.toMatchObject({
      fields: [{ field: 'certificate', says: expect.stringMatching(/Add the certificate of CN=Partner Root/) }],
    })
    await expect(ada.call(takeCross, { caId: rootId, certificate: partner() })).rejects.toMatchObject({
      fields: [{ field: 'certificate', says: expect.stringMatching(/None of these is for this authority's key/) }],
    })
    const { certificateId } = await ada.call(takeCross, { caId: rootId, certificate: cross + partner() })
    await expect(ada.call(takeCross, { caId: rootId, certificate: cross + partner() })).rejects.toMatchObject({
      fields: [{ field: 'certificate', says: expect.stringMatching(/here already/) }],
    })
    const chain = Buffer.from((await ada.call(downloadCertificate, { certificateId, format: 'chain' })).content, 'base64').toString()
    expect(chain.match(/BEGIN CERTIFICATE/g)).toHaveLength(2)
    const all = Buffer.from((await ada.call(download, { caId: rootId, format: 'all' })).content, 'base64').toString()
    expect(all).toContain(cross.trim())
    const sub = (await ada.call(create, { kind: 'subordinate', issuerId: rootId, friendlyName: 'Crossed', subject: { CN: 'Crossed' } }))
      .caId
    expect(
      opinion.run(
        'openssl',
        'verify',
        '-partial_chain',
        '-CAfile',
        'partner.pem',
        '-untrusted',
        opinion.write('crossing.pem', chain),
        opinion.write('crossed.pem', await pemOf(sub)),
      ),
    ).toContain('OK')
    await expect(eve.call(takeCross, { caId: rootId, certificate: cross })).rejects.toMatchObject({ status: 404 })
  })
})

describe('an offline authority', () => {
  it('is known by its certificate, and its subordinate by a sheet that goes there and an answer that is held against it', async () => {
    const { caId: offlineId } = await ada.call(addOffline, { friendlyName: 'Vault Root', certificate: partner() })
    expect(await ada.call(view, { caId: offlineId })).toMatchObject({
      kind: 'offline',
      status: 'ActiveCert',
      issuing: false,
      subject: 'CN=Partner Root,O=Partner',
      chainComplete: true,
    })
    await expect(ada.call(setIssuing, { caId: offlineId, issuing: true })).rejects.toMatchObject({ code: 'offline' })
    await expect(
      ada.call(create, { kind: 'subordinate', issuerId: offlineId, friendlyName: 'No', subject: { CN: 'No' } }),
    ).rejects.toMatchObject({ fields: [{ field: 'issuerId' }] })
    await expect(ada.call(create, { kind: 'outside', issuerId: rootId, friendlyName: 'No', subject: { CN: 'No' } })).rejects.toMatchObject({
      fields: [{ field: 'issuerId', says: expect.stringMatching(/key of Acme Root is here/) }],
    })

    const { caId } = await ada.call(create, {
      kind: 'outside',
      issuerId: offlineId,
      friendlyName: 'Below the vault',
      subject: { CN: 'Below the vault', O: 'Acme' },
    })
    const sheet = Buffer.from((await ada.call(requestSheet, { caId })).content, 'base64').toString()
    expect(sheet).toMatch(/Subject: +CN=Below the vault,O=Acme\n/)
    expect(sheet).toContain((await ada.call(view, { caId: offlineId })).addresses.crl)
    opinion.write('sheet.pem', sheet)
    expect(opinion.ask('openssl', 'req', '-verify', '-noout', '-in', 'sheet.pem').text).toMatch(/verify OK/i)
    const sign = (signer: string, ...more: string[]) =>
      opinion.run(
        'openssl',
        'x509',
        '-req',
        '-in',
        'sheet.pem',
        '-CA',
        `${signer}.pem`,
        '-CAkey',
        `${signer}.key`,
        '-CAcreateserial',
        '-days',
        '900',
        '-extfile',
        'ca.cnf',
        ...more,
      )

    opinion.run(
      'openssl',
      'req',
      '-x509',
      ...newKey,
      '-keyout',
      'stranger.key',
      '-out',
      'stranger.pem',
      '-days',
      '99',
      '-subj',
      '/CN=Stranger',
      '-addext',
      'basicConstraints=critical,CA:TRUE',
      '-addext',
      'keyUsage=critical,keyCertSign',
    )
    await expect(
      ada.call(importCertificate, { caId, certificate: sign('stranger') + opinion.run('openssl', 'x509', '-in', 'stranger.pem') }),
    ).rejects.toMatchObject({
      fields: [{ field: 'certificate', says: expect.stringMatching(/signed by CN=Stranger. The request was for Vault Root/) }],
    })
    await expect(ada.call(importCertificate, { caId, certificate: sign('partner', '-subj', '/CN=Somebody else') })).rejects.toMatchObject({
      fields: [{ field: 'certificate', says: expect.stringMatching(/The request says CN=Below the vault,O=Acme/) }],
    })
    // The certificate alone is enough: what stands above it is known.
    await ada.call(importCertificate, { caId, certificate: sign('partner') })
    expect(await ada.call(view, { caId })).toMatchObject({
      status: 'ActiveCert',
      issuerId: offlineId,
      chain: [{ caId }, { caId: offlineId }],
      chainComplete: true,
    })
    expect((await ada.call(list, { text: 'vault' })).rows.map(({ friendlyName, depth }) => [friendlyName, depth])).toEqual([
      ['Vault Root', 0],
      ['Below the vault', 1],
    ])
    const chain = opinion.write('vault.pem', Buffer.from((await ada.call(download, { caId, format: 'chain' })).content, 'base64'))
    expect(opinion.run('openssl', 'verify', '-partial_chain', '-CAfile', 'partner.pem', chain)).toContain('OK')
  })

  it.each<[string, () => Promise<string>, RegExp]>([
    ['the certificate of an authority whose key is here', async () => pemOf(rootId), /The key of this authority is here/],
    ['one that is known already', async () => partner(), /Vault Root has this key/],
    ['a leaf', async () => opinion.run('openssl', 'x509', '-in', 'www.pem'), /not for an authority/],
    ['text', async () => 'good morning', /./],
  ])('is not made of %s', async (_what, certificate, says) => {
    await expect(ada.call(addOffline, { friendlyName: 'Not this', certificate: await certificate() })).rejects.toMatchObject({
      fields: [{ field: 'certificate', says: expect.stringMatching(says) }],
    })
  })
})
