// Enrolment of Windows over HTTP, as its client speaks: what is offered, certificates by password, renewal by the certificate, waiting, and every hostile body.

import { X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { allPresets } from '#areas/templates/presets.ts'
import { users } from '#areas/users/contract.ts'
import { freePort } from '#core/testing/free-port.ts'
import { refusal, type TestPerson } from '#core/testing/house.ts'
import { parseCertificatesOnly } from '#standards/cms/certificates-only.ts'
import { templateOid } from '#standards/wstep/template-oid.ts'
import { WSTEP_ERRORS } from '#standards/wstep/tokens.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { findExtension } from '#standards/x509/extensions.ts'
import { protocolRoom } from '../contract.ts'
import { openProtocols, type ProtocolFixture } from './protocols.fixture.ts'
import {
  derOf,
  envelopeOf,
  enrolAction,
  extensionText,
  issueBody,
  pkiData,
  pkiDataType,
  policiesAction,
  policiesBody,
  signedBy,
  textsOf,
  windowsClient,
  type Said,
} from './windows-client.fixture.ts'

const sid = 'S-1-5-21-1004336348-1177238915-682003330-1104'

let on: ProtocolFixture
let port: number
let holder: TestPerson
let personalId: string
beforeAll(async () => {
  port = await freePort()
  on = await openProtocols({ certificatePort: port })
  holder = await on.pki.tenancy.person({
    permissions: ['certSigningRequestUser'],
    givenName: 'Grace',
    familyName: 'Hopper',
    username: 'grace',
  })
  const person = await on.pki.tenancy.administrator.call(users.calls.read, { id: holder.id })
  const { id, username, givenName, familyName, emailAddress } = person
  const roleIds = person.roles.map((role) => role.id)
  await on.pki.tenancy.administrator.call(users.calls.change, {
    id,
    username,
    givenName,
    familyName,
    emailAddress,
    securityIdentifier: sid,
    roleIds,
  })
  const found = allPresets.find(({ templateName }) => templateName === 'SmartcardLogon')
  if (found === undefined) throw new Error('There is no preset for people')
  const { says: _, ...preset } = found
  const extensions = { ...preset.extensions, microsoftTemplate: true }
  const draft = { ...preset, templateName: 'Staff', issueApprovers: 0, caId: on.pki.caId, extensions }
  personalId = (await on.pki.ada.call(templates.calls.add, draft)).templateId
})
afterAll(() => on.close())

async function ready(more: Parameters<ProtocolFixture['addProfile']>[1] = {}) {
  const { id, url } = await on.addProfile('windows', more)
  return { id, url, client: windowsClient(on.house.origin, url) }
}

const request = (name = 'pc1.example.org', extensions: string[] = []) => {
  const { csr, keyFile } = on.tools.csr({ subject: '/', extensions: [`subjectAltName=DNS:${name}`, ...extensions] })
  return { csr: derOf(csr), keyFile }
}
const bare = (subject = '/') => {
  const { csr, keyFile } = on.tools.csr({ subject, extensions: [] })
  return { csr: derOf(csr), keyFile }
}
const secretFor = (profileId: string, name = 'pc1.example.org') => on.secret(profileId, { names: { DNS: [name] } })

/** The certificate in an answer that has one. */
function issuedIn({ root, fault }: Said): { pem: string; leaf: X509Certificate; chain: number; requestId: string } {
  const [chain = '', leaf = ''] = textsOf(root, 'BinarySecurityToken')
  if (leaf === '') throw new Error(`Nothing was issued: ${fault}`)
  const read = new X509Certificate(Buffer.from(leaf, 'base64'))
  const all = parseCertificatesOnly(Buffer.from(chain, 'base64')).certificates
  return { pem: read.toString(), leaf: read, chain: all.length, requestId: textsOf(root, 'RequestID')[0] ?? '' }
}

async function newest() {
  const [row] = (await on.admin.call(protocolRoom.calls.transactions, { protocol: 'windows', size: 1 })).rows
  return row
}

describe('A machine with a password', () => {
  test('is told the template, its authority and where to go, and gets its certificate, the same for the same request', async () => {
    const { id, client } = await ready()
    const { secret: password } = await secretFor(id)
    const offered = await client.policies({ password })
    expect(offered.status).toBe(200)
    expect(textsOf(offered.root, 'commonName')[0]).toMatch(/^TLSServer/)
    expect(textsOf(offered.root, 'value')).toContain(templateOid(on.templateId))
    expect(textsOf(offered.root, 'enroll')).toEqual(['true'])
    const [uri] = textsOf(offered.root, 'uri')
    expect(uri).toMatch(/\/wstep\/[\w-]{12}$/)
    expect(new X509Certificate(Buffer.from(textsOf(offered.root, 'certificate')[0] ?? '', 'base64')).ca).toBe(true)
    const { csr } = request()
    const first = issuedIn(await client.enrol(csr, { password }))
    expect(first.leaf.subjectAltName).toBe('DNS:pc1.example.org')
    expect(first.chain).toBe(3)
    expect(issuedIn(await client.enrol(csr, { password })).leaf.serialNumber).toBe(first.leaf.serialNumber)
    expect(issuedIn(await client.status(first.requestId, { password })).leaf.serialNumber).toBe(first.leaf.serialNumber)
    expect(await newest()).toMatchObject({ state: 'issued', kind: 'initial', subject: 'pc1.example.org', transactionId: first.requestId })
    // Used up: Windows still asks what there is, and gets no second certificate.
    expect((await client.policies({ password })).status).toBe(200)
    const second = await client.enrol(request().csr, { password })
    expect([second.status, second.fault, second.error]).toEqual([
      500,
      'The challenge or secret is not known here, was used, or has ended',
      WSTEP_ERRORS.access,
    ])
  })

  test('gets it for a request without names, and for one that Windows has wrapped', async () => {
    const { id, client } = await ready()
    const plain = await secretFor(id)
    expect(issuedIn(await client.enrol(bare().csr, { password: plain.secret })).leaf.subjectAltName).toBe('DNS:pc1.example.org')
    const { csr, keyFile } = bare()
    const own = on.tools.run('req', '-x509', '-key', keyFile, '-subj', '/CN=x', '-days', '1', '-addext', 'subjectKeyIdentifier=hash')
    const wrapped = signedBy(on.tools, pkiData(csr), { certificate: own, keyFile }, '-econtent_type', pkiDataType, '-keyid', '-nocerts')
    const { secret: password } = await secretFor(id)
    const said = await client.enrol(wrapped, { password }, { valueType: 'http://schemas.microsoft.com/windows/pki/2009/01/enrollment#CMC' })
    expect(issuedIn(said).leaf.subjectAltName).toBe('DNS:pc1.example.org')
  })

  test('whose request names another gets nothing, and its password is still good', async () => {
    const { id, client } = await ready()
    const { secret: password } = await secretFor(id)
    const said = await client.enrol(request('bank.example.org').csr, { password })
    expect([said.status, said.fault]).toEqual([500, 'The secret is not for the name bank.example.org'])
    expect((await client.enrol(bare('/CN=bank.example.org').csr, { password })).fault).toContain('bank.example.org')
    expect(await newest()).toMatchObject({ state: 'refused', reason: 'The secret is not for the name bank.example.org' })
    expect(issuedIn(await client.enrol(request().csr, { password })).leaf.subjectAltName).toBe('DNS:pc1.example.org')
  })

  test('that asks for another template gets nothing', async () => {
    const { id, client } = await ready()
    const { secret: password } = await secretFor(id)
    const extension = (templateId: string) =>
      extensionText({ type: 'microsoftCertificateTemplate', critical: false, templateId, majorVersion: 100, minorVersion: 0 })
    const said = await client.enrol(request('pc1.example.org', [extension(templateOid(personalId))]).csr, { password })
    expect([said.fault, said.error]).toEqual(['This template is not offered to you', WSTEP_ERRORS.template])
    expect(await newest()).toMatchObject({ state: 'refused', reason: 'This template is not offered to you' })
    expect(issuedIn(await client.enrol(request('pc1.example.org', [extension(templateOid(on.templateId))]).csr, { password })).chain).toBe(
      3,
    )
  })

  test('waits where somebody must agree, and asks by the number of its request, which nobody else may', async () => {
    const { id, client } = await ready({ templateId: on.approvedId })
    const { secret: password } = await secretFor(id)
    const waiting = await client.enrol(request().csr, { password })
    expect([waiting.status, textsOf(waiting.root, 'DispositionMessage')]).toEqual([200, ['Taken Under Submission']])
    const [requestId = ''] = textsOf(waiting.root, 'RequestID')
    // A program may hold it in 32 bits.
    expect(Number(requestId)).toBeLessThan(2 ** 31)
    expect(textsOf((await client.status(requestId, { password })).root, 'DispositionMessage')).toEqual(['Taken Under Submission'])
    const other = await secretFor(id)
    const strange = await client.status(requestId, { password: other.secret })
    expect(strange.fault).toBe('There is no request of this number here, or it is not yours')
    expect((await client.status('1', { password })).fault).toBe(strange.fault)
    expect((await client.status(requestId, {})).fault).toBe('Show the name and the password of a secret, or your certificate')
    const row = await newest()
    await on.pki.bob.call(certificates.calls.decide, { requestId: row?.requestId ?? '', round: 1, verdict: 'approve' })
    expect(issuedIn(await client.status(requestId, { password })).leaf.subjectAltName).toBe('DNS:pc1.example.org')
  })

  test('does not collect what waited with a password that somebody ended', async () => {
    const { id, client } = await ready({ templateId: on.approvedId })
    const { secret: password, id: secretId } = await secretFor(id)
    const { csr } = request()
    const [requestId = ''] = textsOf((await client.enrol(csr, { password })).root, 'RequestID')
    const row = await newest()
    await on.pki.bob.call(certificates.calls.decide, { requestId: row?.requestId ?? '', round: 1, verdict: 'approve' })
    await on.admin.call(protocolRoom.calls.endSecret, { id: secretId })
    const ended = [await client.status(requestId, { password }), await client.enrol(csr, { password })]
    for (const { fault } of ended) expect(fault).toBe('The challenge or secret is not known here, was used, or has ended')
  })

  test('must be named when its password is made', async () => {
    const { id } = await ready()
    const refused = await refusal(on.secret(id, { names: {} }))
    expect(refused.fields).toEqual([{ field: 'names', says: 'Name the machine: Windows does not say for which names it asks' }])
  })
})

describe('A machine with a certificate', () => {
  const enrolled = async (profileId: string, client: ReturnType<typeof windowsClient>) => {
    const { secret: password } = await secretFor(profileId)
    const { csr, keyFile } = request()
    return { certificate: issuedIn(await client.enrol(csr, { password })).pem, keyFile }
  }
  const pkcs7 = { valueType: 'http://schemas.microsoft.com/windows/pki/2009/01/enrollment#PKCS7' }

  test('renews by signing with it, and for no other name', async () => {
    const { id, client } = await ready()
    const held = await enrolled(id, client)
    for (const wrapped of [
      signedBy(on.tools, request().csr, held),
      signedBy(on.tools, pkiData(bare().csr), held, '-econtent_type', pkiDataType),
    ]) {
      const renewed = issuedIn(await client.enrol(wrapped, {}, pkcs7))
      expect(renewed.leaf.subjectAltName).toBe('DNS:pc1.example.org')
      expect(await newest()).toMatchObject({ kind: 'renewal', state: 'issued' })
    }
    const more = await client.enrol(signedBy(on.tools, request('bank.example.org').csr, held), {}, pkcs7)
    expect(more.fault).toBe('The certificate that is renewed has not the name bank.example.org')
  })

  test('does not renew by a certificate of another profile, of another authority, or that is revoked', async () => {
    const { id, client } = await ready()
    const other = await ready()
    const held = await enrolled(id, client)
    const none = 'There is no secret, and the certificate that was shown is none of this profile'
    expect((await other.client.enrol(signedBy(on.tools, request().csr, held), {}, pkcs7)).fault).toBe(none)
    const { keyFile } = bare()
    const own = on.tools.run('req', '-x509', '-key', keyFile, '-subj', '/CN=pc1.example.org', '-days', '1')
    expect((await client.enrol(signedBy(on.tools, request().csr, { certificate: own, keyFile }), {}, pkcs7)).fault).toBe(none)
    expect(await newest()).toMatchObject({ state: 'refused', kind: 'renewal', reason: none })
    const silent = await ready({ renewal: false })
    const quiet = await enrolled(silent.id, silent.client)
    expect((await silent.client.enrol(signedBy(on.tools, request().csr, quiet), {}, pkcs7)).fault).toContain('renews nothing')
  })

  test('does not renew where the signature is not good, is of SHA-1, or of two', async () => {
    const { id, client } = await ready()
    const held = await enrolled(id, client)
    const good = signedBy(on.tools, request().csr, held)
    const spoilt = Buffer.from(good)
    spoilt[spoilt.length - 1] = (spoilt.at(-1) ?? 0) ^ 1
    expect((await client.enrol(spoilt, {}, pkcs7)).fault).toBe('Show the name and the password of a secret, or your certificate')
    const { secret: password } = await secretFor(id)
    expect((await client.enrol(spoilt, { password }, pkcs7)).fault).toContain('The signature around the request is not good')
    const old = signedBy(on.tools, request().csr, held, '-md', 'sha1')
    expect((await client.enrol(old, { password }, pkcs7)).fault).toContain('too weak')
    expect(await newest()).toMatchObject({ state: 'refused' })
  })

  test('shows it at the listener for certificates: it sees what is offered and renews there', async () => {
    const { id, client } = await ready()
    const held = await enrolled(id, client)
    const shows = { port, ...held }
    const offered = await client.policies({ shows })
    expect(textsOf(offered.root, 'commonName')).toHaveLength(1)
    expect(issuedIn(await client.enrol(request().csr, { shows })).leaf.subjectAltName).toBe('DNS:pc1.example.org')
    const again = await enrolled(id, client)
    const twice = await client.enrol(signedBy(on.tools, request().csr, again), { shows }, pkcs7)
    expect(twice.fault).toBe('The request is signed with another certificate than the one that was shown')
    const { keyFile } = bare()
    const own = on.tools.run('req', '-x509', '-key', keyFile, '-subj', '/CN=pc1.example.org', '-days', '1')
    expect((await client.policies({ shows: { port, certificate: own, keyFile } })).fault).toContain('none of this profile')
  })
})

describe('A person', () => {
  const withPassword = async () => {
    const { id, client } = await ready({ templateId: personalId })
    const { secret: password } = await holder.call(protocolRoom.calls.addOwnPassword, { profileId: id })
    return { id, client, password }
  }

  test('makes a password, and gets a certificate whose names and SID are those of the record, whatever the request says', async () => {
    const { client, password } = await withPassword()
    const offered = await client.policies({ password })
    expect(textsOf(offered.root, 'commonName')).toEqual(['Staff'])
    const foreign = extensionText({
      type: 'microsoftSecurityIdentifier',
      critical: false,
      sid: 'S-1-5-21-1004336348-1177238915-682003330-500',
    })
    const { csr } = on.tools.csr({ subject: '/CN=Administrator', extensions: [foreign, 'subjectAltName=email:administrator@example.org'] })
    const { leaf } = issuedIn(await client.enrol(derOf(csr), { password }))
    expect(leaf.subject).toBe('CN=Grace Hopper')
    const { extensions } = parseCertificate(leaf.raw)
    expect(findExtension(extensions, 'microsoftSecurityIdentifier')?.sid).toBe(sid)
    expect(findExtension(extensions, 'microsoftCertificateTemplate')?.templateId).toBe(templateOid(personalId))
    const row = await newest()
    expect(row).toMatchObject({ state: 'issued', subject: 'Grace Hopper' })
    const info = await on.pki.ada.call(certificates.calls.info, { certId: row?.certificateId ?? '' })
    expect(info.certificate.pem).toContain('BEGIN CERTIFICATE')
  })

  test('renews by the certificate, and not any more once the account is disabled', async () => {
    const { client, password } = await withPassword()
    const { csr, keyFile } = bare()
    const { pem: certificate } = issuedIn(await client.enrol(csr, { password }))
    const renew = () =>
      client.enrol(
        signedBy(on.tools, bare().csr, { certificate, keyFile }),
        {},
        { valueType: 'http://schemas.microsoft.com/windows/pki/2009/01/enrollment#PKCS7' },
      )
    expect(issuedIn(await renew()).leaf.subject).toBe('CN=Grace Hopper')
    const { administrator } = on.pki.tenancy
    await administrator.call(users.calls.setEnabled, { id: holder.id, enabled: false })
    expect((await renew()).fault).toBe('Whoever this is for may not ask for certificates of their own now')
    await administrator.call(users.calls.setEnabled, { id: holder.id, enabled: true })
  })

  test("does not sign in beside somebody else's certificate, and gets none of a template for machines", async () => {
    const { id, client, password } = await withPassword()
    const other = await on.pki.tenancy.person({ permissions: ['certSigningRequestUser'] })
    const { secret } = await other.call(protocolRoom.calls.addOwnPassword, { profileId: id })
    const { csr, keyFile } = bare()
    const { pem: certificate } = issuedIn(await client.enrol(csr, { password }))
    const said = await client.enrol(signedBy(on.tools, bare().csr, { certificate, keyFile }), { password: secret })
    expect(said.fault).toBe('The certificate that signs the request is not that of whoever signed in')
    const machines = await ready()
    expect((await refusal(holder.call(protocolRoom.calls.addOwnPassword, { profileId: machines.id }))).status).toBe(404)
    expect((await refusal(on.secret(id))).fields[0]?.field).toBe('names.DNS')
    const { profiles } = await holder.call(protocolRoom.calls.ownPasswordChoices, {})
    expect(profiles.map(({ profileId }) => profileId)).toContain(id)
    expect(profiles.map(({ profileId }) => profileId)).not.toContain(machines.id)
  })
})

describe('A stranger', () => {
  test('is told to sign in, and a wrong password is written down', async () => {
    const { client } = await ready()
    for (const said of [await client.policies({}), await client.enrol(request().csr, {})]) {
      expect([said.status, said.fault]).toEqual([500, 'Show the name and the password of a secret, or your certificate'])
      expect(said.text).toContain('FailedAuthentication')
    }
    expect((await client.policies({ password: 'wrong' })).text).toContain('FailedAuthentication')
    expect((await client.enrol(request().csr, { password: 'wrong' })).text).toContain('FailedAuthentication')
    expect(await newest()).toMatchObject({ state: 'refused', code: 'secret' })
    const nobody = windowsClient(on.house.origin, 'https://localhost/xcep/AAAAAAAAAAAA')
    expect((await nobody.policies({ password: 'x' })).status).toBe(404)
  })

  const lol = `<!DOCTYPE s [<!ENTITY a "lol">${Array.from({ length: 9 }, (_, at) => `<!ENTITY a${at} "${'&a;'.repeat(10)}">`).join('')}]>`
  const good = envelopeOf(policiesAction, policiesBody)
  test.each<[string, 'xcep' | 'wstep', string | Uint8Array, RegExp, number?]>([
    ['nothing', 'xcep', '', /not read/],
    ['text', 'xcep', 'hello', /not read/],
    ['an outer entity', 'xcep', `<!DOCTYPE s [<!ENTITY x SYSTEM "file:///etc/passwd">]>${good.replace('en-US', '&x;')}`, /Document types/],
    ['a billion laughs', 'wstep', `${lol}${good}`, /Document types/],
    ['two megabytes', 'wstep', envelopeOf(enrolAction, issueBody('A'.repeat(2_000_000))), /./, 413],
    ['a deep body', 'wstep', envelopeOf(enrolAction, '<a>'.repeat(5_000)), /deep in each other/],
    ['bytes that are no text', 'xcep', Buffer.from([0xff, 0xfe, 0x00, 0x3c]), /not UTF-8/],
    [
      'SOAP 1.1',
      'xcep',
      good.replaceAll('http://www.w3.org/2003/05/soap-envelope', 'http://schemas.xmlsoap.org/soap/envelope/'),
      /SOAP 1.2/,
    ],
    ['another namespace of policies', 'xcep', good.replaceAll(/xmlns="[^"]+enrollmentpolicy"/g, 'xmlns="urn:x"'), /no GetPolicies/],
    [
      'another namespace of trust',
      'wstep',
      envelopeOf(enrolAction, issueBody('AAAA').replace('ws-trust/200512"', 'ws-trust/200502"')),
      /WS-Trust 1.3/,
    ],
    ['the action of the other address', 'wstep', good, /action/],
    ['no action', 'xcep', good.replace(/<a:Action.*<\/a:Action>/, ''), /no action/],
    ['two bodies', 'xcep', good.replace('</s:Envelope>', '<s:Body/></s:Envelope>'), /one body/],
    ['two elements in its body', 'xcep', good.replace('</s:Body>', '<x/></s:Body>'), /one body/],
    [
      'a header that must be understood',
      'xcep',
      envelopeOf(policiesAction, policiesBody, 'x', '<x s:mustUnderstand="1"/>'),
      /not understood/,
    ],
    [
      'a signature of XML',
      'xcep',
      envelopeOf(policiesAction, policiesBody, 'x').replace('</o:Security>', '<x/></o:Security>'),
      /one UsernameToken/,
    ],
    ['a password as digest', 'xcep', envelopeOf(policiesAction, policiesBody, 'x').replace('#PasswordText', '#PasswordDigest'), /as text/],
    [
      'two headers of security',
      'xcep',
      envelopeOf(policiesAction, policiesBody, 'x').replace(/(<o:Security.*<\/o:Security>)/, '$1$1'),
      /two headers/,
    ],
    ['another kind of request', 'wstep', envelopeOf(enrolAction, issueBody('AAAA', { type: 'urn:x' })), /RequestType/],
    [
      'a kind of request that every object has',
      'wstep',
      envelopeOf(enrolAction, issueBody('AAAA', { type: 'constructor' })),
      /RequestType/,
    ],
    ['another kind of token', 'wstep', envelopeOf(enrolAction, issueBody('AAAA', { valueType: 'urn:x' })), /ValueType/],
    ['wrong base64', 'wstep', envelopeOf(enrolAction, issueBody('A*==')), /not base64/],
    ['no token', 'wstep', envelopeOf(enrolAction, issueBody('')), /not base64/],
    [
      'a status without number',
      'wstep',
      envelopeOf(enrolAction, issueBody('AAAA', { type: 'http://schemas.microsoft.com/windows/pki/2009/01/enrollment/QueryTokenStatus' })),
      /number of a request/,
    ],
  ])('who sends %s is refused in SOAP', async (_what, name, body, says, status = 500) => {
    const { client } = await hostile()
    const said = await client.post(name, body)
    expect(said.status).toBe(status)
    expect(said.fault).toMatch(says)
  })

  test.each<[string, () => Uint8Array, RegExp]>([
    ['bytes that are no request', () => Buffer.from('hello'), /cannot be read/],
    ['half a request', () => request().csr.subarray(0, 100), /cannot be read/],
    ['a private key', () => derOf(on.tools.run('pkcs8', '-topk8', '-nocrypt', '-in', request().keyFile)), /cannot be read/],
    ['certificates alone', () => derOf(on.tools.run('crl2pkcs7', '-nocrl', '-certfile', on.pki.chainFile)), /no request/],
    ['a request whose signature is not good', () => spoilt(request().csr), /ignature/],
    [
      'a request that is signed with SHA-1',
      () => derOf(on.tools.run('req', '-new', '-sha1', '-key', request().keyFile, '-subj', '/')),
      /SHA-?1/i,
    ],
    ['a PKIData of two requests', () => pkiSigned(pkiData(bare().csr, bare().csr)), /one request/],
    ['a PKIData of none', () => pkiSigned(pkiData()), /one request/],
  ])('who has a password and sends %s is told why, and it stands in the transactions', async (_what, make, says) => {
    const { id, client } = await hostile()
    const { secret: password } = await secretFor(id)
    const said = await client.enrol(
      make(),
      { password },
      { valueType: 'http://schemas.microsoft.com/windows/pki/2009/01/enrollment#PKCS7' },
    )
    expect(said.fault).toMatch(says)
    expect((await newest())?.reason).toBe(said.fault)
  })

  let shared: Awaited<ReturnType<typeof ready>> | undefined
  const hostile = async () => (shared ??= await ready())
  const spoilt = (der: Buffer): Buffer => {
    const changed = Buffer.from(der)
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1
    return changed
  }
  const pkiSigned = (content: Uint8Array): Uint8Array => {
    const { keyFile } = bare()
    const own = on.tools.run('req', '-x509', '-key', keyFile, '-subj', '/CN=x', '-days', '1')
    return signedBy(on.tools, content, { certificate: own, keyFile }, '-econtent_type', pkiDataType)
  }
})

test('Strangers who sign requests with certificates of their own are turned away in the end, and a password still lets in', async () => {
  const { id, client } = await ready()
  const { keyFile } = bare()
  const own = on.tools.run('req', '-x509', '-key', keyFile, '-subj', '/CN=pc1.example.org', '-days', '1')
  const signed = signedBy(on.tools, request().csr, { certificate: own, keyFile })
  const tried: number[] = []
  for (let turn = 0; turn < 25; turn += 1) tried.push((await client.enrol(signed, {})).status)
  expect(tried[0]).toBe(500)
  expect(tried.at(-1)).toBe(503)
  const { secret: password } = await secretFor(id)
  expect(issuedIn(await client.enrol(request().csr, { password })).leaf.subjectAltName).toBe('DNS:pc1.example.org')
})

test('Whoever has a certificate tries no passwords beside its signature: each wrong one counts', async () => {
  const { id, client } = await ready()
  const { secret: password } = await secretFor(id)
  const { csr, keyFile } = request()
  const held = { certificate: issuedIn(await client.enrol(csr, { password })).pem, keyFile }
  const signed = signedBy(on.tools, bare().csr, held)
  expect(issuedIn(await client.enrol(signed, { password: 'forgotten' })).leaf.subjectAltName).toBe('DNS:pc1.example.org')
  const tried: number[] = []
  for (let turn = 0; turn < 25; turn += 1) tried.push((await client.enrol(signed, { password: `guess ${turn}` })).status)
  expect([tried[0], tried.at(-1)]).toEqual([200, 503])
  expect((await client.enrol(signed, {})).status).toBe(200)
})

test('A machine whose request names a SID is given none', async () => {
  const { id, client } = await ready()
  const foreign = extensionText({
    type: 'microsoftSecurityIdentifier',
    critical: false,
    sid: 'S-1-5-21-1004336348-1177238915-682003330-500',
  })
  const { secret: password } = await secretFor(id)
  const said = await client.enrol(request('pc1.example.org', [foreign]).csr, { password })
  expect(said.fault).toBe('The request asks for the extension microsoftSecurityIdentifier, which the template does not give')
})

test('A password for a machine gives nothing once its profile stands for people', async () => {
  const { id, client } = await ready({ name: 'Turned' })
  const { secret: password } = await secretFor(id)
  const {
    version,
    url: _,
    ownerName: __,
    ownerMayAsk: ___,
    protocol: ____,
    ...profile
  } = await on.admin.call(protocolRoom.calls.profile, { id })
  await on.admin.call(protocolRoom.calls.changeProfile, { ...profile, version, templateId: personalId })
  const said = await client.enrol(request().csr, { password })
  expect(said.fault).toBeDefined()
  expect(await newest()).toMatchObject({ state: 'refused' })
})

test('The lines of a profile name its address, its policy and its template', async () => {
  const { id, url } = await ready({ name: 'Office "A" & co' })
  const { clients } = await on.admin.call(protocolRoom.calls.commandLines, { id })
  expect(clients.map(({ name }) => name)).toEqual([
    'Group policy',
    'Registry',
    'PowerShell',
    'certutil and certreq',
    'Linux (cepces and certmonger)',
  ])
  for (const { text } of clients) expect(text).toContain(url)
  const registry = clients[1]?.text ?? ''
  expect(registry).toContain(`"PolicyID"="{${id.toUpperCase()}}"`)
  expect(registry).toContain('"FriendlyName"="Office  A    co"')
})
