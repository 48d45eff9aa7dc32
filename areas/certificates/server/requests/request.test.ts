import { execFileSync } from 'node:child_process'
import { afterAll, describe, expect, test } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { roles } from '#areas/roles/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { users } from '#areas/users/contract.ts'
import { refusal } from '#core/testing/caller.ts'
import { certificates } from '../../contract.ts'
import { openIssuing, openIssuingHouse } from '../issuing.fixture.ts'

const { calls } = certificates

const { house, tools, pki, close } = await openIssuingHouse()
afterAll(close)

const strict = await pki.addTemplate('TLSServer', {})
await pki.ada.call(templates.calls.setExtensions, { templateId: strict, namesWithoutPlace: 'REFUSE' })

const pemOf = async (certId: string) => (await pki.ada.call(calls.info, { certId })).certificate.pem
const verify = (pem: string, ...more: string[]) =>
  tools.run('verify', '-x509_strict', ...more, '-CAfile', pki.rootFile, '-untrusted', pki.chainFile, tools.write(pem))
const textOf = (pem: string) => tools.run('x509', '-noout', '-text', '-in', tools.write(pem))

describe('a request that needs nobody', () => {
  test.each([
    ['RSA 2048', ['rsa:2048']],
    ['RSA 3072', ['rsa:3072']],
    ['P-256', ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256']],
    ['P-384', ['ec', '-pkeyopt', 'ec_paramgen_curve:P-384']],
    ['Ed25519', ['ed25519']],
  ])('with an %s key is issued at once, and openssl verifies the chain', async (_name, key) => {
    const { csr, keyFile } = tools.csr({ key })
    const answer = await pki.ada.call(calls.requestForDevice, {
      templateId: pki.template['Device'] ?? '',
      csr,
      values: { DNS: ['www.example.org'] },
    })
    expect(answer.status).toBe('issued')
    const pem = await pemOf(answer.certificateId ?? '')
    expect(verify(pem, '-purpose', 'sslserver', '-verify_hostname', 'www.example.org')).toContain('OK')
    expect(tools.run('x509', '-noout', '-pubkey', '-in', tools.write(pem))).toBe(tools.run('pkey', '-in', keyFile, '-pubout'))
    expect(answer.serialNumber).toMatch(/^[0-9a-f]{32}$/)
  })

  test('follows the template: subject, names, usages and validity', async () => {
    const templateId = await pki.addTemplate('Device', {
      extensions: {
        certificateSubjects: [
          { subjectField: 'CN', fieldValue: 'CommonName' },
          { subjectField: 'O', fieldValue: 'Acme Pty Ltd' },
          { subjectField: 'C', fieldValue: 'AU' },
        ],
        certificateSans: [
          { sanField: 'DNS', fieldValue: 'DNS' },
          { sanField: 'IP', fieldValue: 'IP' },
          { sanField: 'URI', fieldValue: 'URI' },
        ],
        validityPeriod: 36,
        validityPeriodUnits: 'HOURS',
        keyUsages: ['digitalSignature', 'keyAgreement'],
        extendedUsages: ['serverAuth', 'ipsecUser'],
      },
    })
    const { csr } = tools.csr({ subject: '/CN=ignored/O=Ignored' })
    const values = { DNS: ['a.example.org', 'B.example.org'], IP: ['192.0.2.7', '2001:db8::7'], URI: ['https://a.example.org/x'] }
    const { certificateId } = await pki.ada.call(calls.requestForDevice, { templateId, csr, values })
    const text = textOf(await pemOf(certificateId ?? ''))
    expect(text).toMatch(/Subject: C = AU, O = Acme Pty Ltd, CN = a.example.org/)
    expect(text).toContain(
      'DNS:a.example.org, DNS:b.example.org, IP Address:192.0.2.7, IP Address:2001:DB8:0:0:0:0:0:7, URI:https://a.example.org/x',
    )
    expect(text).toMatch(/Key Usage: critical\s+Digital Signature, Key Agreement\n/)
    expect(text).toMatch(/Extended Key Usage:\s+TLS Web Server Authentication, 1\.3\.6\.1\.5\.5\.7\.3\.7|IPSec User/)
    expect(text).toMatch(/Basic Constraints: critical\s+CA:FALSE/)
    const [from, to] = [/Not Before: (.*)/, /Not After : (.*)/].map((line) => Date.parse(line.exec(text)?.[1] ?? ''))
    expect((to ?? 0) - (from ?? 0)).toBe(36 * 3_600_000 - 1000)
  })

  test('is issued whatever characters stand where its words are cut for the search', async () => {
    const { csr } = tools.csr()
    const friendlyName = `${'bb\u{1F600}...'.repeat(12)}bb\u{1F000}..`
    expect(
      await pki.ada.call(calls.requestForDevice, {
        templateId: pki.template['Device'] ?? '',
        csr,
        values: { DNS: ['cut.example.org'] },
        friendlyName,
      }),
    ).toMatchObject({ status: 'issued' })
  })

  test('answers a double click and a retry with the same certificate', async () => {
    const { csr } = tools.csr()
    const draft = { templateId: pki.template['Device'] ?? '', csr, values: { DNS: ['twice.example.org'] } }
    const headers = { 'idempotency-key': 'double-click-0001' }
    const [one, two] = await Promise.all([
      pki.ada.call(calls.requestForDevice, draft, headers),
      pki.ada.call(calls.requestForDevice, draft, headers),
    ])
    const three = await pki.ada.call(calls.requestForDevice, draft, headers)
    expect(new Set([one.requestId, two.requestId, three.requestId]).size).toBe(1)
    expect(three.status).toBe('issued')
    const found = await pki.ada.call(calls.search, { text: 'twice.example.org' })
    expect(found.total).toBe(1)
    const other = { ...draft, values: { DNS: ['other.example.org'] } }
    expect(await refusal(pki.ada.call(calls.requestForDevice, other, headers))).toMatchObject({ status: 409, code: 'conflict' })
  })
})

describe('a template that reads the request', () => {
  test('leaves out what it has no place for, as the usual one does, and tells it before and after it is asked', async () => {
    const { csr } = tools.csr({ subject: '/C=AU/ST=ACT/L=Canberra/O=Example Pty Ltd/OU=IT/CN=www.example.org' })
    const draft = { templateId: pki.template['TLSServer'] ?? '', csr, values: {} }
    const told = 'The request names C=AU, ST=ACT, L=Canberra, O=Example Pty Ltd, OU=IT, which the certificate leaves out'
    const looked = await pki.ada.call(calls.check, { entity: 'device', ...draft })
    expect(looked.planned?.subject).toBe('CN=www.example.org')
    expect(looked.findings).toMatchObject([{ severity: 'warn', field: 'csr', message: told }])
    expect((await pki.ada.call(calls.requestForDevice, draft)).findings).toMatchObject([{ severity: 'warn', message: told }])
    expect((await pki.ada.call(calls.check, { entity: 'device', ...draft, templateId: strict })).faults).toHaveLength(5)
  })

  test('takes the names of the CSR', async () => {
    const templateId = await pki.addTemplate('TLSServer', { issueApprovers: 0 })
    const { csr } = tools.csr({
      subject: '/CN=shop.example.org',
      extensions: ['subjectAltName=DNS:shop.example.org,DNS:www.shop.example.org,IP:192.0.2.9'],
    })
    const answer = await pki.ada.call(calls.requestForDevice, { templateId, csr, values: {} })
    const pem = await pemOf(answer.certificateId ?? '')
    expect(verify(pem, '-verify_hostname', 'www.shop.example.org')).toContain('OK')
    expect(textOf(pem)).toContain('IP Address:192.0.2.9')
  })

  test.each([
    ['an authority', ['basicConstraints=critical,CA:TRUE', 'subjectAltName=DNS:www.example.org'], 'CA:TRUE'],
    ['certificate signing', ['keyUsage=keyCertSign', 'subjectAltName=DNS:www.example.org'], 'keyCertSign'],
    ['code signing', ['extendedKeyUsage=codeSigning', 'subjectAltName=DNS:www.example.org'], 'Code signing'],
    ['a mail address among the names', ['subjectAltName=DNS:www.example.org,email:boss@example.org'], 'RFC822'],
    ['an underscore', ['subjectAltName=DNS:www.example.org,DNS:bad name_!!'], 'bad name_!!'],
    ['a wildcard', ['subjectAltName=DNS:www.example.org,DNS:*.example.org'], 'wildcard'],
    ['a UPN', ['subjectAltName=DNS:www.example.org,otherName:1.3.6.1.4.1.311.20.2.3;UTF8:boss@example.org'], 'OTHER_NAME:boss@example.org'],
    ['policies', ['certificatePolicies=2.23.140.1.2.1', 'subjectAltName=DNS:www.example.org'], 'certificatePolicies'],
    ['a dot at the end', ['subjectAltName=DNS:www.example.org,DNS:evil.test.'], 'without the dot'],
    // www.example.org, NUL, .evil.test
    [
      'a name with a NUL in it',
      ['subjectAltName=DER:30:1C:82:1A:77:77:77:2E:65:78:61:6D:70:6C:65:2E:6F:72:67:00:2E:65:76:69:6C:2E:74:65:73:74'],
      'outside ASCII',
    ],
    ['name constraints', ['nameConstraints=permitted;DNS:example.org', 'subjectAltName=DNS:www.example.org'], 'nameConstraints'],
  ])('refuses a CSR that asks for %s, and says so at the CSR', async (_what, extensions, says) => {
    const { csr } = tools.csr({ extensions })
    const refused = await refusal(pki.ada.call(calls.requestForDevice, { templateId: strict, csr, values: {} }))
    expect(refused.status).toBe(400)
    expect(refused.fields.map(({ field }) => field)).toContain('csr')
    expect(refused.fields.map((fault) => fault.says).join(' ')).toContain(says)
  })

  test('refuses a name that is longer than a typed one may be', async () => {
    const templateId = await pki.addTemplate('Device', {
      issueApprovers: 0,
      extensions: {
        ignoreCsrDetails: false,
        certificateSubjects: [],
        certificateSans: [{ sanField: 'URI', fieldValue: 'URI' }],
        keyUsages: ['digitalSignature'],
        extendedUsages: ['clientAuth'],
      },
    })
    const { csr } = tools.csr({ subject: '/', extensions: [`subjectAltName=critical,URI:https://example.org/${'x'.repeat(4000)}`] })
    expect(await refusal(pki.ada.call(calls.requestForDevice, { templateId, csr }))).toMatchObject({
      status: 400,
      fields: [{ field: 'csr', says: expect.stringContaining('has 4020 characters. A name has at most 300') }],
    })
  })

  test('refuses names outside its domains, in the CSR and typed', async () => {
    const templateId = await pki.addTemplate('TLSServer', { rules: { keys: ['P-256'], allowedDomains: ['*.acme.test'] } })
    const { csr } = tools.csr()
    expect((await refusal(pki.ada.call(calls.requestForDevice, { templateId, csr, values: {} }))).fields[0]).toMatchObject({
      field: 'csr',
      says: expect.stringContaining('www.example.org'),
    })
    const { csr: bare } = tools.csr({ subject: '/', extensions: [] })
    expect(
      (await refusal(pki.ada.call(calls.requestForDevice, { templateId, csr: bare, values: { DNS: ['evil.test'] } }))).fields[0],
    ).toMatchObject({ field: 'values.DNS' })
  })
})

describe('an authority with name constraints', () => {
  test('certifies what openssl then accepts, and refuses the rest before signing', async () => {
    const { caId } = await pki.ada.call(authorities.calls.create, {
      kind: 'subordinate',
      friendlyName: 'Constrained',
      subject: { CN: 'Constrained' },
      issuerId: pki.rootId,
      permittedNames: [
        { type: 'DNS', value: 'example.org' },
        { type: 'IP', value: '10.0.0.0/8' },
      ],
      excludedNames: [{ type: 'DNS', value: 'secret.example.org' }],
    })
    const templateId = await pki.addTemplate('TLSServer', { caId, issueApprovers: 0 })
    const ask = (name: string, sans: string) =>
      pki.ada.call(calls.requestForDevice, {
        templateId,
        csr: tools.csr({ subject: `/CN=${name}`, extensions: [`subjectAltName=${sans}`] }).csr,
      })
    const issued = await ask('a.example.org', 'DNS:a.example.org,DNS:example.org,IP:10.1.2.3')
    const chain = tools.write((await pki.ada.call(authorities.calls.view, { caId })).certificate?.pem ?? '')
    expect(
      tools.run(
        'verify',
        '-x509_strict',
        '-CAfile',
        pki.rootFile,
        '-untrusted',
        chain,
        tools.write(await pemOf(issued.certificateId ?? '')),
      ),
    ).toContain('OK')
    for (const [name, sans] of [
      ['evil.test', 'DNS:evil.test'],
      ['notexample.org', 'DNS:notexample.org'],
      ['a.secret.example.org', 'DNS:a.secret.example.org'],
      ['a.example.org', 'DNS:a.example.org,IP:192.0.2.1'],
    ] as const) {
      const refused = await refusal(ask(name, sans))
      expect(refused).toMatchObject({ status: 400, code: 'lint' })
      expect(refused.fields[0]).toMatchObject({ field: 'csr', says: expect.stringContaining('name constraints') })
    }
  })
})

describe('a hostile or broken CSR', () => {
  const send = (csr: string) =>
    refusal(pki.ada.call(calls.requestForDevice, { templateId: pki.template['Device'] ?? '', csr, values: { DNS: ['www.example.org'] } }))

  test('has its faults as findings of lint when it is looked at, and their severity where it is refused', async () => {
    const templateId = pki.template['TLSServer'] ?? ''
    const look = (csr: string) => pki.ada.call(calls.check, { entity: 'device', templateId, csr })
    const asksForMore = tools.csr({ extensions: ['subjectAltName=DNS:www.example.org', 'basicConstraints=CA:TRUE'] }).csr
    expect((await look('hello')).findings).toMatchObject([{ severity: 'fatal', field: 'csr' }])
    expect((await look(tools.csr({ key: ['rsa:1024'] }).csr)).findings).toMatchObject([
      { severity: 'error', field: 'csr', message: expect.stringContaining('1024') },
    ])
    expect((await look(asksForMore)).findings).toMatchObject([
      { severity: 'error', field: 'csr', message: expect.stringContaining('CA:TRUE') },
    ])
    expect((await refusal(pki.ada.call(calls.requestForDevice, { templateId, csr: asksForMore }))).fields).toMatchObject([
      { field: 'csr', severity: 'error' },
    ])
    expect((await send('hello')).fields).toMatchObject([{ field: 'csr', severity: 'fatal' }])
  })

  test.each([
    ['junk', () => 'hello', 'can be read'],
    [
      'begun with a line that is cut short',
      () => tools.csr().csr.replace('REQUEST-----', 'REQUEST----'),
      'The BEGIN line must read "-----BEGIN CERTIFICATE REQUEST-----"',
    ],
    ['a private key', () => tools.run('genpkey', '-algorithm', 'ed25519'), 'private key'],
    ['a certificate', () => tools.run('x509', '-in', pki.chainFile), 'certificate request'],
    ['PKCS#7', () => tools.run('crl2pkcs7', '-nocrl', '-certfile', pki.chainFile), 'PKCS#7'],
    ['a public key', () => tools.run('pkey', '-in', tools.csr().keyFile, '-pubout'), 'public key alone'],
    ['two requests', () => tools.csr().csr + tools.csr().csr, '2 items'],
    ['a truncated request', () => tools.csr().csr.split('\n').toSpliced(2, 1).join('\n'), ''],
    ['a short RSA key', () => tools.csr({ key: ['rsa:1024'] }).csr, '1024'],
    [
      'a key that the template does not allow',
      () => tools.csr({ key: ['ec', '-pkeyopt', 'ec_paramgen_curve:secp256k1'] }).csr,
      'secp256k1',
    ],
    ['a curve of no standing', () => tools.csr({ key: ['ec', '-pkeyopt', 'ec_paramgen_curve:prime192v1'] }).csr, 'P-192'],
  ])('that is %s is refused at its field', async (_what, make, says) => {
    const refused = await send(make())
    expect(refused.status).toBe(400)
    expect(refused.fields[0]?.field).toBe('csr')
    expect(refused.fields.map((fault) => fault.says).join(' ')).toContain(says)
  })

  test('whose signature is of another key is refused: no proof of possession', async () => {
    const der = Buffer.from(tools.csr().csr.replace(/-----.*-----|\s/g, ''), 'base64')
    const last = der.length - 1
    der[last] = (der[last] ?? 0) ^ 1
    expect((await send(der.toString('base64'))).fields[0]?.says).toContain('private key')
  })

  test('of a megabyte, or deeply nested, is refused in a moment', async () => {
    expect((await send('A'.repeat(200_000))).status).toBe(400)
    expect((await send(Buffer.from('30'.repeat(2000).replace(/30/g, '3080'), 'hex').toString('base64'))).status).toBe(400)
  })
})

describe('checking before sending', () => {
  test('decodes the CSR, shows what would come out, says who must agree, and keeps nothing', async () => {
    const { csr } = tools.csr()
    const requests = async () => (await pki.ada.call(calls.requests, {})).total
    const before = await requests()
    const checked = await pki.ada.call(calls.check, { entity: 'device', templateId: pki.template['TLSServer'] ?? '', csr, values: {} })
    expect(checked.decoded).toMatchObject({
      subject: 'CN=www.example.org',
      key: 'EC P-256',
      values: { CommonName: ['www.example.org'], DNS: ['www.example.org'] },
    })
    expect(checked.planned).toMatchObject({
      subject: 'CN=www.example.org',
      keyUsages: ['Digital signature'],
      extendedUsages: ['TLS server auth'],
    })
    expect(checked).toMatchObject({ faults: [], issueApprovers: 1, tooFewApprovers: false })
    expect(await requests()).toBe(before)
  })

  test('says where too few others may approve, whoever asks', async () => {
    const templateId = await pki.addTemplate('TLSServer', { issueApprovers: 4 })
    const short = async (who: typeof pki.ada) =>
      (await who.call(calls.check, { entity: 'device', templateId, csr: tools.csr().csr })).tooFewApprovers
    // The administrator and the two approvers are three; a fourth helps everybody but the fourth.
    expect(await short(pki.ada)).toBe(true)
    // Who is invited and has not come yet is none.
    const { administrator } = pki.tenancy
    const { id: roleId } = await administrator.call(roles.calls.add, {
      name: 'Approves',
      view: ['certApprovals'],
      menu: [],
      api: ['certApprovals'],
    })
    await administrator.call(users.calls.add, {
      username: 'invited',
      givenName: 'In',
      familyName: 'Vited',
      emailAddress: 'invited@example.org',
      roleIds: [roleId],
    })
    expect(await short(pki.ada)).toBe(true)
    const fourth = await pki.tenancy.person({ permissions: ['certApprovals', 'certSigningRequest'] })
    expect([await short(pki.ada), await short(fourth)]).toEqual([false, true])
  })

  test('without a template decodes alone; with a poor CSR answers faults, not an error', async () => {
    const { csr } = tools.csr({ extensions: ['basicConstraints=critical,CA:TRUE'] })
    expect((await pki.ada.call(calls.check, { entity: 'device', csr })).decoded?.certificateAuthority).toBe(true)
    const checked = await pki.ada.call(calls.check, { entity: 'device', templateId: pki.template['TLSServer'] ?? '', csr })
    expect(checked.faults[0]).toMatchObject({ field: 'csr', says: expect.stringContaining('CA:TRUE') })
    expect((await pki.ada.call(calls.check, { entity: 'device', csr: 'junk' })).faults[0]?.field).toBe('csr')
  })
})

describe('without a CSR', () => {
  test('the server makes the key once, and hands it out in a PKCS#12 that openssl opens', async () => {
    const placed = await pki.ada.call(calls.requestForDevice, {
      templateId: pki.template['Device'] ?? '',
      key: 'RSA-2048',
      values: { DNS: ['made.example.org'] },
    })
    expect(placed.status).toBe('incomplete')
    const file = await pki.ada.call(calls.collectKey, { requestId: placed.requestId, password: 'correct horse' })
    const p12 = tools.write(Buffer.from(file.pkcs12, 'base64'))
    const key = tools.run('pkcs12', '-in', p12, '-nodes', '-nocerts', '-passin', 'pass:correct horse')
    const leaf = tools.run('pkcs12', '-in', p12, '-nokeys', '-clcerts', '-passin', 'pass:correct horse')
    expect(tools.run('pkey', '-in', tools.write(key), '-pubout')).toBe(tools.run('x509', '-noout', '-pubkey', '-in', tools.write(leaf)))
    expect(verify(leaf)).toContain('OK')
    expect(
      tools.run('pkcs12', '-in', p12, '-nokeys', '-cacerts', '-passin', 'pass:correct horse').match(/BEGIN CERTIFICATE/g),
    ).toHaveLength(2)
    expect(file.fileName).toBe('made.example.org.p12')
    expect(await refusal(pki.ada.call(calls.collectKey, { requestId: placed.requestId, password: 'correct horse' }))).toMatchObject({
      status: 409,
      code: 'keyGone',
    })
  })

  test('for old software the file is one that it opens, and otherwise never so', async () => {
    const algorithms = async (form?: 'legacy') => {
      const placed = await pki.ada.call(calls.requestForDevice, {
        templateId: pki.template['Device'] ?? '',
        key: 'P-256',
        values: { DNS: [`${form ?? 'new'}.example.org`] },
      })
      const { pkcs12 } = await pki.ada.call(calls.collectKey, {
        requestId: placed.requestId,
        password: 'correct horse',
        ...(form === undefined ? {} : { form }),
      })
      return execFileSync(
        'sh',
        ['-c', 'openssl pkcs12 -info -noout -in "$1" -passin "pass:correct horse" 2>&1', 'sh', tools.write(Buffer.from(pkcs12, 'base64'))],
        { encoding: 'utf8' },
      )
    }
    expect(await algorithms('legacy')).toMatch(/MAC: sha1[\s\S]*pbeWithSHA1And3-KeyTripleDES-CBC/)
    expect(await algorithms()).toMatch(/MAC: sha256[\s\S]*AES-256-CBC/)
    expect(await algorithms()).not.toContain('TripleDES')
  })

  test('two who collect at the same moment get one certificate, and one of them the key', async () => {
    const placed = await pki.ada.call(calls.requestForDevice, {
      templateId: pki.template['Device'] ?? '',
      values: { DNS: ['race.example.org'] },
    })
    const collect = () => pki.ada.call(calls.collectKey, { requestId: placed.requestId, password: 'correct horse' })
    const settled = await Promise.allSettled([collect(), collect(), collect()])
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await pki.ada.call(calls.search, { text: 'race.example.org' })).total).toBe(1)
  })

  test('nobody else collects the key, and a short password is refused', async () => {
    const placed = await pki.ada.call(calls.requestForDevice, {
      templateId: pki.template['Device'] ?? '',
      values: { DNS: ['mine.example.org'] },
    })
    expect(await refusal(pki.bob.call(calls.collectKey, { requestId: placed.requestId, password: 'correct horse' }))).toMatchObject({
      status: 404,
    })
    expect((await refusal(pki.ada.call(calls.collectKey, { requestId: placed.requestId, password: 'short' }))).fields[0]?.field).toBe(
      'password',
    )
  })
})

describe('who may ask', () => {
  test('a person without permissions asks for oneself from self-service templates alone', async () => {
    const self = await pki.addTemplate('User', { issueApprovers: 0, rules: { keys: ['P-256'] } })
    const { csr } = tools.csr({ subject: '/CN=Anybody', extensions: [] })
    const answer = await pki.eve.call(calls.request, { entity: 'user', templateId: self, csr })
    expect(answer.status).toBe('issued')
    const { csr: another } = tools.csr({ subject: '/CN=Anybody', extensions: [] })
    expect(
      await refusal(pki.eve.call(calls.request, { entity: 'user', templateId: self, csr: another, userId: pki.ada.id })),
    ).toMatchObject({ status: 403, code: 'notOffered' })
    expect(
      await refusal(
        pki.eve.call(calls.request, {
          entity: 'device',
          templateId: pki.template['Device'] ?? '',
          csr,
          values: { DNS: ['x.example.org'] },
        }),
      ),
    ).toMatchObject({ status: 403, code: 'notOffered' })
    expect(await refusal(pki.eve.call(calls.requestForUser, { templateId: self, csr }))).toMatchObject({ status: 403, code: 'denied' })
  })

  test("a user's certificate carries the names of the record, whatever the CSR or the form says", async () => {
    const reading = await pki.addTemplate('User', {
      issueApprovers: 0,
      extensions: {
        certificateSans: [{ sanField: 'RFC822', fieldValue: 'Email' }],
        ignoreCsrDetails: false,
        extendedUsages: ['emailProtection'],
      },
    })
    const own = await pki.ada.call(calls.requestForUser, {
      templateId: reading,
      csr: tools.csr({ subject: '/CN=Ada Lovelace', extensions: [] }).csr,
    })
    expect(textOf(await pemOf(own.certificateId ?? ''))).toContain(`email:${pki.ada.username}@example.org`)
    const foreign = tools.csr({ subject: '/CN=Ada Lovelace', extensions: ['subjectAltName=email:boss@example.org'] }).csr
    expect((await refusal(pki.ada.call(calls.requestForUser, { templateId: reading, csr: foreign }))).fields[0]).toMatchObject({
      field: 'csr',
      says: expect.stringContaining('boss@example.org'),
    })
    expect(
      (await refusal(pki.ada.call(calls.requestForUser, { templateId: reading, values: { Email: ['boss@example.org'] } }))).fields[0],
    ).toMatchObject({ field: 'values.Email' })
  })

  test("another tenancy's templates, people and requests are as good as missing", async () => {
    const other = await openIssuing(house, tools, 'Umbrella')
    const { csr } = tools.csr()
    const values = { DNS: ['www.example.org'] }
    const foreign = await refusal(other.ada.call(calls.requestForDevice, { templateId: pki.template['Device'] ?? '', csr, values }))
    const missing = await refusal(
      other.ada.call(calls.requestForDevice, { templateId: '00000000-0000-7000-8000-000000000000', csr, values }),
    )
    expect([foreign.status, foreign.code, foreign.fields]).toEqual([missing.status, missing.code, missing.fields])
    expect(
      (await refusal(other.ada.call(calls.requestForUser, { templateId: other.template['User'] ?? '', csr, userId: pki.ada.id }))).fields[0]
        ?.field,
    ).toBe('userId')
    const own = await pki.ada.call(calls.requestForDevice, { templateId: pki.template['TLSServer'] ?? '', csr, values: {} })
    for (const call of [
      () => other.bob.call(calls.approval, { requestId: own.requestId }),
      () => other.bob.call(calls.decide, { requestId: own.requestId, round: 1, verdict: 'approve' }),
      () => other.ada.call(calls.statusByRequest, { rid: own.requestId }),
      () => other.ada.call(calls.status, { tid: own.requestId, ca: own.caId }),
      () => other.ada.call(calls.collectKey, { requestId: own.requestId, password: 'correct horse' }),
      () => other.ada.call(calls.edit, { requestId: own.requestId, csr, values }),
      () => other.ada.call(calls.withdraw, { requestId: own.requestId }),
    ])
      expect(await refusal(call())).toMatchObject({ status: 404, code: 'noSuchRequest' })
    expect((await pki.bob.call(calls.approval, { requestId: own.requestId })).votes).toEqual([])
  })
})
