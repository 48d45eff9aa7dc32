import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { audit } from '#areas/audit/contract.ts'
import { authorities } from '#areas/authorities/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { openIssuing, openSsl } from '#areas/certificates/server/issuing.fixture.ts'
import { mail } from '#areas/mail/contract.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { refusal, useHouse } from '#core/testing/house.ts'
import { encodePem, decodePem } from '#standards/pem/pem.ts'
import { assembleSigned, buildTbsCertificate, parseCertificate } from '#standards/x509/certificate.ts'
import { attribute, nameOf } from '#standards/x509/names.ts'
import { imports } from '../contract.ts'
import { largestUpload, mostCertificates } from '../rules.ts'

const { check, upload } = imports.calls

const tools = openSsl()
const config = tools.write('[req]\ndistinguished_name=dn\n[dn]\n')

const selfSigned = (name: string, days = 90, ...more: string[]) =>
  tools.run(
    'req',
    '-x509',
    '-config',
    config,
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    '/dev/null',
    '-days',
    String(days),
    '-subj',
    `/CN=${name}`,
    ...more,
  )

const house = await useHouse()
const pki = await openIssuing(house, tools, 'Acme')
const ada = await pki.tenancy.person({ permissions: 'all', emailAddress: 'ada@acme.example' })
const stranger = (await house.tenancy('Globex')).administrator
afterAll(async () => {
  tools.close()
})

const found = async (text: string, by = ada) => (await by.call(certificates.calls.search, { text })).rows

describe('An upload', () => {
  test('is shown before it is saved, stands in the inventory once, and only in its own tenancy', async () => {
    const text = selfSigned('printer.acme.example', 90, '-addext', 'subjectAltName=DNS:printer.acme.example')
    const before = await ada.call(check, { text })
    expect(before.found).toMatchObject([{ name: 'printer.acme.example', issuer: 'CN=printer.acme.example', state: 'new' }])
    expect(await found('printer.acme')).toEqual([])

    const both = await Promise.all([ada.call(upload, { text, friendlyName: 'The printer' }), ada.call(upload, { text: text + text })])
    expect(both.flatMap(({ added }) => added)).toHaveLength(1)
    expect(await found('printer.acme')).toMatchObject([{ name: 'printer.acme.example', caName: 'printer.acme.example', status: 'active' }])
    expect((await ada.call(check, { text })).found[0]?.state).toBe('known')
    expect(await found('printer.acme', stranger)).toEqual([])
    expect((await stranger.call(check, { text })).found[0]?.state).toBe('new')
    expect((await ada.call(audit.calls.search, { area: 'imports', name: 'uploaded' })).total).toBe(2)
  })

  test('may be a chain in PKCS#7, and says which piece is no certificate', async () => {
    const chain = tools.run(
      'crl2pkcs7',
      '-nocrl',
      '-certfile',
      tools.write(selfSigned('one.acme.example') + selfSigned('two.acme.example')),
    )
    const { csr } = tools.csr()
    const { added, faults } = await ada.call(upload, {
      text: `${csr}\n${chain}\n-----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----END CERTIFICATE-----\n`,
    })
    expect(added.map(({ name }) => name).toSorted()).toEqual(['one.acme.example', 'two.acme.example'])
    expect(faults).toMatchObject([{ place: 1, says: 'This is a request, not a certificate' }, { place: 3 }])
  })

  test('of several files keeps those that are right, and says of each other one by its name what is wrong with it', async () => {
    const keyFile = tools.write('')
    tools.run(
      'req',
      '-x509',
      '-config',
      config,
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      keyFile,
      '-subj',
      '/CN=x',
    )
    const derOf = (pem: string) => pem.replaceAll(/-----.*-----|\s/g, '')
    const files = [
      { name: 'first.pem', content: selfSigned('first.acme.example') },
      { name: 'binary.der', content: derOf(selfSigned('binary.acme.example')) },
      { name: 'letter.txt', content: 'Dear Ada' },
      { name: 'mixed.pem', content: `${tools.csr().csr}\n${selfSigned('mixed.acme.example')}` },
      { name: 'server.key', content: tools.run('pkey', '-in', keyFile) },
      { name: 'empty.pem', content: '' },
      { name: 'last.der', content: derOf(selfSigned('last.acme.example')) },
    ]
    const wrong = [
      { file: 'letter.txt', says: expect.stringContaining('This is not a certificate that can be read') },
      { file: 'mixed.pem', place: 1, says: 'This is a request, not a certificate' },
      { file: 'server.key', says: expect.stringMatching(/^This holds a private key\. It was not kept/) },
      { file: 'empty.pem', says: expect.stringContaining('The text is empty') },
    ]
    const checked = await ada.call(check, { files })
    expect(checked.found.map(({ name, file }) => [name, file])).toEqual([
      ['first.acme.example', 'first.pem'],
      ['binary.acme.example', 'binary.der'],
      ['mixed.acme.example', 'mixed.pem'],
      ['last.acme.example', 'last.der'],
    ])
    expect(checked.faults).toEqual(wrong)
    const { added, faults } = await ada.call(upload, { files, text: selfSigned('pasted.acme.example') })
    expect(added.map(({ name }) => name).toSorted()).toEqual([
      'binary.acme.example',
      'first.acme.example',
      'last.acme.example',
      'mixed.acme.example',
      'pasted.acme.example',
    ])
    expect(faults).toEqual(wrong)
  })

  test('of files of which none is right is refused, with the reason of each by its name', async () => {
    const files = [
      { name: 'letter.txt', content: 'Dear Ada' },
      { name: 'request.csr', content: tools.csr().csr },
    ]
    expect(await refusal(ada.call(upload, { files }))).toMatchObject({
      status: 400,
      code: 'nothing',
      fields: [
        { field: 'text', says: expect.stringMatching(/^letter\.txt: /) },
        { field: 'text', says: 'request.csr: This is a request, not a certificate' },
      ],
    })
    const long = { content: 'x'.repeat(largestUpload / 2 + 1) }
    expect(
      await refusal(
        ada.call(upload, {
          files: [
            { name: 'a', ...long },
            { name: 'b', ...long },
          ],
        }),
      ),
    ).toMatchObject({ status: 400, fields: [{ field: 'text', says: expect.stringContaining('at most 2,000,000') }] })
  })

  test('of one of our own certificates leaves it ours', async () => {
    const templateId = await pki.addTemplate('TLSServer', { issueApprovers: 0 })
    const { certificateId = '' } = await ada.call(certificates.calls.request, { entity: 'device', templateId, csr: tools.csr().csr })
    const { certificate } = await ada.call(certificates.calls.info, { certId: certificateId })
    expect((await ada.call(check, { text: certificate.pem })).found).toMatchObject([{ state: 'ours', certificateId }])
    expect(await ada.call(upload, { text: certificate.pem })).toMatchObject({ added: [], known: 1 })
  })

  test('tells whether its issuer is known: an authority here, itself, or nobody', async () => {
    const own = await ada.call(authorities.calls.download, { caId: pki.caId, format: 'pem' })
    const ours = Buffer.from(own.content, 'base64').toString()
    expect((await ada.call(check, { text: ours })).found).toMatchObject([{ state: 'new', signedBy: 'Acme Root', issuerKnown: true }])
    const infoOf = async (text: string) => {
      const { added } = await ada.call(upload, { text })
      return ada.call(certificates.calls.info, { certId: added[0]?.certificateId ?? '' })
    }
    const info = await infoOf(ours)
    expect(info).toMatchObject({ signedBy: { caId: pki.rootId, name: 'Acme Root' }, issuerKnown: true, rootKnown: true })
    expect(info.chain.map(({ name }) => name)).toEqual(['Acme Root'])

    const root = selfSigned('own-root.acme.example')
    expect((await ada.call(check, { text: root })).found).toMatchObject([{ issuerKnown: true }])

    // The name of an authority here is not its signature.
    const { issuer, publicKey, notBefore, notAfter } = parseCertificate(decodePem(ours)[0]?.bytes ?? new Uint8Array())
    const tbs = buildTbsCertificate({
      signatureAlgorithm: 'ecdsa-with-SHA256',
      serialNumber: Buffer.from([0x55, 1]),
      subject: nameOf(['CN', 'forged.acme.example']),
      issuer,
      notBefore,
      notAfter,
      publicKey: publicKey.spki,
      extensions: [],
    })
    const unsigned = encodePem('CERTIFICATE', assembleSigned(tbs, 'ecdsa-with-SHA256', randomBytes(70)))
    expect((await ada.call(check, { text: unsigned })).found).toMatchObject([{ issuerKnown: false }])
    const stranger = await infoOf(unsigned)
    expect(stranger).toMatchObject({ issuerKnown: false, rootKnown: false, chain: [] })
    expect(stranger.signedBy).toBeUndefined()
    const asked = { certId: stranger.certificate.certificateId, format: 'clients' } as const
    expect(await refusal(ada.call(certificates.calls.download, asked))).toMatchObject({ status: 409, code: 'noRoot' })
  })

  test('does not hide a certificate of ours that has the same serial number', async () => {
    const templateId = await pki.addTemplate('TLSServer', { issueApprovers: 0 })
    const { certificateId = '', serialNumber = '' } = await ada.call(certificates.calls.request, {
      entity: 'device',
      templateId,
      csr: tools.csr().csr,
    })
    const hide = (name: string) => ada.call(upload, { text: selfSigned(name, 90, '-set_serial', `0x${serialNumber}`) })
    for (const name of ['decoy.acme.example', 'another-decoy.acme.example']) {
      expect(await hide(name)).toMatchObject({ added: [{ name }] })
      expect((await ada.call(certificates.calls.info, { certId: serialNumber })).certificate.certificateId).toBe(certificateId)
    }
    expect(await ada.call(revocation.calls.revoke, { certId: serialNumber, reason: 'superseded' })).toMatchObject({
      ok: true,
      status: 'revoked',
    })
    expect((await ada.call(certificates.calls.info, { certId: certificateId })).certificate.status).toBe('revoked')
  })

  test('with a private key is refused, and nothing of it is saved', async () => {
    const keyFile = tools.write('')
    const certificate = tools.run(
      'req',
      '-x509',
      '-config',
      config,
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      keyFile,
      '-subj',
      '/CN=leaky.acme.example',
    )
    const key = tools.run('pkey', '-in', keyFile)
    expect(await refusal(ada.call(upload, { text: certificate + key }))).toMatchObject({ status: 400, fields: [{ field: 'text' }] })
    // Under another label, or without one, its bytes give it away.
    const bare = [certificate, key].map((pem) => pem.replaceAll(/-----.*-----|\s/g, '')).map((body) => Buffer.from(body, 'base64'))
    expect(await refusal(ada.call(upload, { text: Buffer.concat(bare).toString('base64') }))).toMatchObject({
      status: 400,
      code: 'privateKey',
    })
    expect(await found('leaky')).toEqual([])
  })

  test('may be as long as is said, and no longer', async () => {
    const certificate = selfSigned('long.acme.example')
    const comment = `# ${'x'.repeat(1_000)}\n`
    const long = certificate + comment.repeat(Math.floor((largestUpload - 2 * certificate.length) / comment.length)) + certificate
    expect((await ada.call(upload, { text: long })).added).toHaveLength(1)
    expect(await refusal(ada.call(upload, { text: long + long.slice(0, 200_000) }))).toMatchObject({
      status: 400,
      fields: [{ field: 'text', says: 'An upload has at most 2,000,000 characters. Upload it in parts' }],
    })
  })

  test('that is junk, or more than is good, is refused with its reason', async () => {
    expect(await refusal(ada.call(upload, { text: 'hello, world' }))).toMatchObject({ status: 400, fields: [{ field: 'text' }] })
    expect(await refusal(ada.call(upload, { text: ' ' }))).toMatchObject({ status: 400, fields: [{ field: 'text' }] })
    const [first = '', ...rest] = selfSigned('many.acme.example').trim().split('\n')
    const der = Buffer.from(rest.slice(0, -1).join(''), 'base64')
    const many = Array.from({ length: mostCertificates + 1 }, (_, at) => {
      const changed = Buffer.from(der)
      changed.writeUInt16BE(at, der.length - 2)
      return [first, changed.toString('base64'), '-----END CERTIFICATE-----'].join('\n')
    })
    expect(await refusal(ada.call(upload, { text: many.join('\n') }))).toMatchObject({ code: 'tooMany' })
    await expect(pki.eve.call(upload, { text: selfSigned('eve') })).rejects.toMatchObject({ status: 403 })
  })
})

describe('A foreign certificate with unusual names', () => {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'der' })
  let serial = 0
  type Odd = Partial<
    Pick<Parameters<typeof buildTbsCertificate>[0], 'subject' | 'issuer' | 'notBefore' | 'notAfter' | 'serialNumber' | 'extensions'>
  >
  /** Nobody looks at the signature: the certificate is another issuer's word. */
  const odd = ({ extensions = [], ...fields }: Odd): string => {
    const whole = {
      serialNumber: Buffer.from([0x5a, (serial += 1)]),
      subject: nameOf(['CN', `odd-${serial}`]),
      issuer: nameOf(['CN', 'Odd CA']),
      notBefore: new Date('2026-01-01T00:00:00Z'),
      notAfter: new Date('2036-01-01T00:00:00Z'),
      publicKey: key,
      ...fields,
    }
    return encodePem(
      'CERTIFICATE',
      assembleSigned(
        buildTbsCertificate({ signatureAlgorithm: 'ecdsa-with-SHA256', extensions, ...whole }),
        'ecdsa-with-SHA256',
        randomBytes(70),
      ),
    )
  }
  /** That nothing can make shorter. */
  const noise = (length: number) => randomBytes(length).toString('hex').slice(0, length)
  const many = (keyword: string, length: number, times: number) =>
    nameOf(...Array.from({ length: times }, () => [keyword, noise(length)] as const))
  const sanOf = ({ names }: { names: { type: 'dNSName' | 'iPAddress'; value: string }[] }) => ({
    type: 'subjectAltName' as const,
    critical: false,
    names,
  })
  const dns = (count: number, length = 60) =>
    sanOf({ names: Array.from({ length: count }, () => ({ type: 'dNSName' as const, value: `${noise(length)}.example` })) })

  test.each<[string, () => string]>([
    ['no common name and a subject of four thousand characters', () => odd({ subject: many('OU', 64, 60) })],
    ['a common name of thirty thousand characters', () => odd({ subject: nameOf(['CN', noise(30_000)]) })],
    ['an issuer of four thousand characters', () => odd({ issuer: many('OU', 64, 60) })],
    [
      'a common name in which nothing shows',
      () =>
        odd({
          subject: nameOf(['CN', ' \u200b ']),
          issuer: nameOf(['CN', '   ']),
          extensions: [sanOf({ names: [{ type: 'dNSName', value: 'blank.odd.example' }] })],
        }),
    ],
    ['an empty subject and no other name', () => odd({ subject: [] })],
    ['a thousand names', () => odd({ extensions: [dns(1_000)] })],
    ['an e-mail address of three thousand characters', () => odd({ subject: nameOf(['emailAddress', `${noise(3_000)}@odd.example`]) })],
    ['a name of three thousand characters', () => odd({ subject: [], extensions: [dns(1, 3_000)] })],
    ['the character 0 in its name', () => odd({ subject: nameOf(['CN', 'odd\0name.example']) })],
    [
      'the character 0 in an alternative name',
      () => odd({ extensions: [sanOf({ names: [{ type: 'dNSName', value: 'odd\0san.example' }] })] }),
    ],
    ['letters beyond any limit that two bytes hold', () => odd({ subject: nameOf(['CN', '\u{1f980}'.repeat(900)]) })],
    ['an address alone', () => odd({ subject: [], extensions: [sanOf({ names: [{ type: 'iPAddress', value: '192.0.2.7' }] })] })],
    ['a validity without end', () => odd({ notAfter: new Date('9999-12-31T23:59:59Z') })],
    ['a validity since the year 1', () => odd({ notBefore: new Date('0001-01-01T00:00:00Z') })],
    ['a serial number of 20 bytes', () => odd({ serialNumber: Buffer.concat([Buffer.from([0x7f]), randomBytes(19)]) })],
  ])('is kept with %s, byte by byte, and is found, shown and listed', async (_what, make) => {
    const text = make()
    expect((await ada.call(check, { text })).found).toMatchObject([{ state: 'new' }])
    const { added } = await ada.call(upload, { text })
    expect(added).toHaveLength(1)
    const [{ certificateId = '' } = {}] = added
    const { certificate, cn, dn } = await ada.call(certificates.calls.info, { certId: certificateId })
    expect(certificate.pem.trim()).toBe(text.trim())
    expect((await found(certificate.fingerprintSha256)).map((row) => row.certificateId)).toEqual([certificateId])
    expect(
      (await ada.call(certificates.calls.search, { sort: 'name', size: 200 })).rows.some((row) => row.certificateId === certificateId),
    ).toBe(true)
    // The list has something to press, and the whole subject stands on the page.
    expect([/[^\s\p{Cf}]/u.test(cn), cn.length > 300]).toEqual([true, false])
    expect((await found(cn.slice(0, 40))).map((row) => row.certificateId)).toContain(certificateId)
    const [read] = (await ada.call(check, { text })).found
    expect(dn).toBe(read?.subject)
    expect(read).toMatchObject({ state: 'known', certificateId })
  })

  test('is refused by the field and its fault where the standard forbids it, beside others that are kept', async () => {
    const half = [[{ ...attribute('CN', 'x'), stringType: 'der' as const, value: '1e04d83d0041' }]]
    const tooLong = tools.run(
      'req',
      '-x509',
      '-config',
      config,
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      '/dev/null',
      '-subj',
      '/CN=serial',
      '-set_serial',
      `0x5a${noise(140)}`,
    )
    const { added, faults } = await ada.call(upload, { text: [odd({ subject: half }), tooLong, odd({})].join('\n') })
    expect(added).toHaveLength(1)
    expect(faults).toEqual([
      { place: 1, says: expect.stringMatching(/subject.*not a valid BMPString/) },
      { place: 2, says: expect.stringMatching(/serialNumber.*more than 64 bytes/) },
    ])
  })
})

test('Text that is no certificate is said to be none', async () => {
  await expect(ada.call(upload, { text: 'nonsense' })).rejects.toMatchObject({
    status: 400,
    fields: [
      {
        field: 'text',
        says: 'This is not a certificate that can be read: Line 1: This is neither PEM nor DER as base64 or hexadecimal text',
      },
    ],
  })
})

describe('A foreign certificate', () => {
  test('is told of before its end to its contact besides, without empty brackets, and once where that is who uploaded it', async () => {
    await ada.call(upload, { text: selfSigned('contact.acme.example', 20), contactEmail: 'operators@elsewhere.example' })
    await ada.call(upload, { text: selfSigned('mine.acme.example', 20), contactEmail: 'Ada@acme.example' })
    await house.runJob(certificates.jobs.expiry)
    const { rows } = await ada.call(mail.calls.outbox, {})
    const mails = await Promise.all(
      rows.map(async ({ id, to, kind }) => ({ to, kind, text: (await ada.call(mail.calls.read, { id })).text })),
    )
    const about = (name: string) => mails.filter(({ kind, text }) => kind === 'certificateExpiring' && text.includes(name))
    expect(
      about('contact.acme')
        .map(({ to }) => to)
        .toSorted(),
    ).toEqual(['ada@acme.example', 'operators@elsewhere.example'])
    // Who uploaded both reads of both in one mail.
    expect(about('mine.acme').map(({ to }) => to)).toEqual(['ada@acme.example'])
    for (const { to, text } of about('contact.acme')) {
      expect(text).toMatch(/^The certificate for contact\.acme\.example expires in \d+ days, on /m)
      expect([to, text.includes('names you as the contact'), /https?:/.test(text)]).toEqual([
        to,
        to !== 'ada@acme.example',
        to === 'ada@acme.example',
      ])
    }
  })

  test('is not revoked here, and its end is told of by mail', async () => {
    const { added } = await ada.call(upload, { text: selfSigned('soon.acme.example', 20) })
    const [{ certificateId } = { certificateId: '' }] = added
    await expect(ada.call(revocation.calls.revoke, { certId: certificateId, reason: 'superseded' })).rejects.toMatchObject({
      status: 409,
      code: 'notIssuedHere',
    })
    expect((await ada.call(revocation.calls.search, { text: 'soon.acme' })).total).toBe(0)
    expect((await found('soon.acme'))[0]?.status).toBe('expiring')
    await house.runJob(certificates.jobs.expiry)
    const { rows } = await ada.call(mail.calls.outbox, {})
    expect(rows.filter(({ to, subject }) => to === 'ada@acme.example' && subject.includes('soon.acme.example'))).toHaveLength(1)
  })
})
