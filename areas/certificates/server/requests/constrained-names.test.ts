// All names of a certificate are held against the name constraints above it, the subject too: what openssl would refuse is not issued, and what is issued it accepts.

import { afterAll, describe, expect, test } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import type { templates } from '#areas/templates/contract.ts'
import type { DraftOf } from '#core/contract/contract.ts'
import { certificates } from '../../contract.ts'
import { openIssuingHouse } from '../issuing.fixture.ts'

const { calls } = certificates
const { tools, pki, close } = await openIssuingHouse()
afterAll(close)

type Draft = DraftOf<typeof templates.calls.add>
const subjects: Draft['extensions'] = {
  validityPeriod: 1,
  validityPeriodUnits: 'YEARS',
  renewalMode: 'MANUAL',
  ignoreCsrDetails: true,
  certificateSubjects: [
    { subjectField: 'CN', fieldValue: 'CommonName' },
    { subjectField: 'emailAddress', fieldValue: 'Email' },
  ],
  certificateSans: [],
  keyUsages: ['digitalSignature'],
  extendedUsages: ['clientAuth'],
}
const { csr } = tools.csr({ subject: '/CN=ignored' })
const mailbox = 'ada@example.org'

let made = 0

async function constrained(permittedNames: DraftOf<typeof authorities.calls.create>['permittedNames']) {
  const { caId } = await pki.ada.call(authorities.calls.create, {
    kind: 'subordinate',
    friendlyName: `Constrained ${(made += 1)}`,
    subject: { CN: `Constrained ${made}` },
    issuerId: pki.rootId,
    permittedNames,
  })
  const { certificate } = await pki.ada.call(authorities.calls.view, { caId })
  return { caId, roots: pki.rootFile, chain: tools.write(certificate?.pem ?? '') }
}

/** An authority of ours whose certificate an outside one signed, with name constraints. */
async function constrainedOutside(lines: string) {
  const { caId } = await pki.ada.call(authorities.calls.create, {
    kind: 'outside',
    friendlyName: 'Partnered',
    subject: { O: 'Acme', CN: 'Partnered' },
    keyAlgorithm: 'P-256',
  })
  const { request = '' } = await pki.ada.call(authorities.calls.view, { caId })
  const keyFile = tools.write(tools.run('genpkey', '-algorithm', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'))
  const root = tools.run(
    'req',
    '-x509',
    '-key',
    keyFile,
    '-days',
    '3650',
    '-subj',
    '/O=Partner/CN=Partner Root',
    '-addext',
    'basicConstraints=critical,CA:TRUE',
    '-addext',
    'keyUsage=critical,keyCertSign,cRLSign',
  )
  const extensions = tools.write(
    `basicConstraints=critical,CA:TRUE,pathlen:0\nkeyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=hash\nnameConstraints=critical,${lines}\n`,
  )
  const roots = tools.write(root)
  const signed = tools.run(
    'x509',
    '-req',
    '-in',
    tools.write(request),
    '-CA',
    roots,
    '-CAkey',
    keyFile,
    '-CAcreateserial',
    '-days',
    '900',
    '-extfile',
    extensions,
  )
  await pki.ada.call(authorities.calls.importCertificate, { caId, certificate: signed + root })
  return { caId, roots, chain: tools.write(signed) }
}

const judge = ({ roots, chain }: { roots: string; chain: string }, pem: string) =>
  tools.run('verify', '-x509_strict', '-CAfile', roots, '-untrusted', chain, tools.write(pem))
const template = (caId: string, extensions: Partial<Draft['extensions']> = {}) =>
  pki.addTemplate('TLSClient', { caId, issueApprovers: 0, extensions: { ...subjects, ...extensions } })

const ask = async ({ caId }: { caId: string }, [name, mail = mailbox]: readonly [name: string, mail?: string]) =>
  pki.ada.call(calls.requestForDevice, { templateId: await template(caId), csr, values: { CommonName: [name], Email: [mail] } })

describe('the subject under an authority that is constrained', () => {
  test.each([
    ['ceo@evil.example', { type: 'RFC822', value: 'example.org' }, ['Printer 12', 'ceo@evil.example']],
    ['www.evil.example', { type: 'DNS', value: 'example.org' }, ['www.evil.example']],
    ['www.evil.example', { type: 'DNS', value: 'example.org' }, ['www.evil.example:443']],
    ['10.0.0.1', { type: 'DNS', value: 'example.org' }, ['10.0.0.1']],
    ['v2.0', { type: 'DNS', value: 'example.org' }, ['v2.0']],
    ['192.0.2.1', { type: 'IP', value: '10.0.0.0/8' }, ['192.0.2.1']],
  ] as const)('is refused for %s where that is outside of %j: %j', async (outside, permitted, names) => {
    const says = expect.stringMatching(
      new RegExp(`${outside} is not among those that .*Constrained \\d+ permits \\(name constraints\\)`),
    ) as string
    await expect(ask(await constrained([permitted]), names)).rejects.toMatchObject({ code: 'lint', fields: [{ field: 'csr', says }] })
  })

  test.each([
    [{ type: 'RFC822', value: 'example.org' }, ['Printer 12']],
    [{ type: 'DNS', value: 'example.org' }, ['www.example.org']],
    [{ type: 'DNS', value: 'example.org' }, ['printer_12']],
    [{ type: 'DNS', value: 'example.org' }, ['Dr. No']],
    [{ type: 'DNS', value: 'example.org' }, ['Ada Lovelace', 'ceo@evil.example']],
  ] as const)('is issued within %j, and openssl accepts it: %j', async (permitted, names) => {
    const authority = await constrained([permitted])
    const { certificateId = '' } = await ask(authority, names)
    expect(judge(authority, (await pki.ada.call(calls.info, { certId: certificateId })).certificate.pem)).toContain('OK')
  })

  test('has its common name left alone where a DNS name stands beside it, as programs read that one', async () => {
    const authority = await constrained([{ type: 'DNS', value: 'example.org' }])
    const templateId = await template(authority.caId, { certificateSans: [{ sanField: 'DNS', fieldValue: 'DNS' }] })
    const { certificateId = '' } = await pki.ada.call(calls.requestForDevice, {
      templateId,
      csr,
      values: { CommonName: ['desk.lab'], Email: [mailbox], DNS: ['a.example.org'] },
    })
    expect(judge(authority, (await pki.ada.call(calls.info, { certId: certificateId })).certificate.pem)).toContain('OK')
  })

  test('is refused as a whole outside the directory names that an outside authority permits', async () => {
    const authority = await constrainedOutside('permitted;dirName:dn\n[dn]\nO=Acme')
    const of = (organisation: string) =>
      template(authority.caId, {
        certificateSubjects: [
          { subjectField: 'CN', fieldValue: 'CommonName' },
          { subjectField: 'O', fieldValue: organisation },
        ],
      })
    const named = async (organisation: string) =>
      pki.ada.call(calls.requestForDevice, { templateId: await of(organisation), csr, values: { CommonName: ['box'] } })
    await expect(named('Evil Corp')).rejects.toMatchObject({
      code: 'lint',
      fields: [{ says: expect.stringMatching(/directory name .*O=Evil Corp.* \(name constraints\)/) as string }],
    })
    const { certificateId = '' } = await named('Acme')
    expect(judge(authority, (await pki.ada.call(calls.info, { certId: certificateId })).certificate.pem)).toContain('OK')
  })

  test('is refused before anybody is asked to agree, and where a request is looked at before it is sent', async () => {
    const authority = await constrained([{ type: 'RFC822', value: 'example.org' }])
    const templateId = await pki.addTemplate('TLSClient', { caId: authority.caId, issueApprovers: 1, extensions: subjects })
    await expect(
      pki.ada.call(calls.requestForDevice, { templateId, csr, values: { CommonName: ['box'], Email: ['ceo@evil.example'] } }),
    ).rejects.toMatchObject({ code: 'lint' })
    expect(
      (
        await pki.ada.call(calls.check, {
          entity: 'device',
          templateId,
          csr,
          values: { CommonName: ['box'], Email: ['ceo@evil.example'] },
        })
      ).findings,
    ).toContainEqual(expect.objectContaining({ severity: 'error', code: 'nameConstraints' }))
  })
})
