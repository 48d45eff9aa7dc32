import { beforeAll, describe, expect, test } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import type { DraftOf } from '#core/contract/contract.ts'
import { inTenant } from '#core/server/database.ts'
import { CallRefused, useHouse, type TestPerson } from '#core/testing/house.ts'
import { templates } from '../contract.ts'
import { allPresets } from '../presets.ts'
import { parseCsrRules } from '../rules.ts'
import { createDefaultTemplates } from '../service.ts'

const { calls } = templates

let caId: string
let count = 0

const house = await useHouse()
const acme = await house.tenancy('Acme')
const ada = await acme.person({ permissions: ['manageCAs', 'certSigningRequest'] })
beforeAll(async () => {
  caId = (
    await ada.call(authorities.calls.create, {
      kind: 'root',
      friendlyName: 'Acme Root',
      subject: { CN: 'Acme Root' },
      keyAlgorithm: 'P-256',
    })
  ).caId
})

const draft = (more: Partial<DraftOf<typeof calls.add>> = {}): DraftOf<typeof calls.add> => ({
  templateName: `Template${(count += 1)}`,
  caId,
  class: 'DEVICE',
  extensions: { extendedUsages: ['serverAuth'] },
  rules: { keys: ['P-256', 'RSA-2048'] },
  ...more,
})
const refused = async (promise: Promise<unknown>): Promise<CallRefused> => {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof CallRefused) return error
  throw error ?? new Error('The call was not refused')
}

const sourceOf = {
  OTHER_NAME: 'UPN',
  RFC822: 'Email',
  DNS: 'DNS',
  URI: 'URI',
  IP: 'IP',
  REGISTERED_ID: 'RegisteredId',
  DIRECTORY_NAME: 'DirectoryName',
  SAN_TYPE_HARDWARE_MODULE_NAME: 'HardwareModule',
} as const

test('a new template has the specified defaults', async () => {
  const { templateId } = await ada.call(calls.add, draft({ extensions: {} }))
  const { templateId: _, version: __, ...extensions } = await ada.call(calls.extensions, { templateId })
  expect(extensions).toEqual({
    certificateSubjects: [{ subjectField: 'CN', fieldValue: 'CommonName' }],
    certificateSans: [{ sanField: 'DNS', fieldValue: 'DNS' }],
    validityPeriod: 1,
    validityPeriodUnits: 'YEARS',
    renewalMode: 'MANUAL',
    ignoreCsrDetails: true,
    keyUsages: ['digitalSignature'],
    extendedUsages: [],
  })
})

test('the list is in one order, and takes no column to sort by', async () => {
  const error = await refused(ada.call(calls.list, { sort: 'nope' } as never))
  expect([error.status, error.fields]).toEqual([400, [{ field: 'sort', says: 'This list has one order: leave this out' }]])
})

test('the list supplies the fields of the specification, with the rules as a JSON string', async () => {
  const added = draft({ selfServiceEligible: true, priority: 1 })
  const { templateId } = await ada.call(calls.add, added)
  const { rows } = await ada.call(calls.list, { text: added.templateName })
  expect(rows[0]).toMatchObject({
    asymmetricAlgorithm: 'EC_NIST, RSA',
    keyTypes: ['EC_NIST', 'RSA'],
    class: 'DEVICE',
    caName: 'Acme Root',
    templateName: added.templateName,
    templateId,
    licensedTemplateId: templateId,
    accessLevel: 'OPERATOR',
    digicertOrgName: '',
    digicertOrgId: '',
    selfServiceEligible: true,
    caId,
    priority: 1,
  })
  expect(Date.parse(rows[0]?.caExpiry ?? '')).toBeGreaterThan(Date.now())
  expect(parseCsrRules(rows[0]?.csrRules ?? '')).toEqual({
    keys: ['P-256', 'RSA-2048'],
    allowedDomains: [],
    wildcards: false,
    maximumNames: 20,
  })
  const { templates: short } = await ada.call(calls.names, { caId })
  expect(short.find(({ id }) => id === templateId)).toEqual({
    id: templateId,
    displayName: added.templateName,
    class: 'DEVICE',
    templateFriendlyName: added.templateName,
    type: 'CERTIFICATE_TYPE_DEVICE',
  })
})

describe('the editor', () => {
  test('sets the extensions alone', async () => {
    const { templateId } = await ada.call(calls.add, draft())
    await ada.call(calls.setExtensions, {
      templateId,
      validityPeriod: 90,
      validityPeriodUnits: 'DAYS',
      renewalMode: 'AUTOMATIC_NEW_KEY',
      certificateSans: [],
      keyUsages: ['digitalSignature'],
    })
    expect(await ada.call(calls.extensions, { templateId })).toMatchObject({
      validityPeriod: 90,
      validityPeriodUnits: 'DAYS',
      renewalMode: 'AUTOMATIC_NEW_KEY',
      certificateSans: [],
    })
    expect((await refused(ada.call(calls.setExtensions, { templateId, keyUsages: ['keyCertSign'] }))).fields).toContainEqual({
      field: 'keyUsages',
      says: 'Certificate signing belongs to authorities. Create an authority instead',
    })
    expect((await refused(ada.call(calls.setExtensions, { templateId, keyUsages: ['keyCertSign', 'cRLSign'] }))).fields).toContainEqual({
      field: 'keyUsages',
      says: 'Certificate signing and CRL signing belong to authorities. Create an authority instead',
    })
  })

  test('leaves as they are the extensions that are not sent, and keeps to the version where one is', async () => {
    const certificatePolicies = [{ policyIdentifier: '1.3.6.1.4.1.99999.2', cps: '' }]
    const { templateId } = await ada.call(
      calls.add,
      draft({ extensions: { keyUsages: ['digitalSignature', 'keyEncipherment'], extendedUsages: ['serverAuth'], certificatePolicies } }),
    )
    const before = await ada.call(calls.extensions, { templateId })
    const { certificateSubjects, certificateSans, renewalMode, ignoreCsrDetails } = before
    const specified = {
      certificateSubjects,
      certificateSans,
      validityPeriod: 90,
      validityPeriodUnits: 'DAYS' as const,
      renewalMode,
      ignoreCsrDetails,
    }
    expect(await ada.call(calls.setExtensions, { templateId, ...specified })).toEqual({ templateId, version: 2 })
    expect(await ada.call(calls.extensions, { templateId })).toEqual({ ...before, ...specified, version: 2 })
    expect(await refused(ada.call(calls.setExtensions, { templateId, version: before.version, validityPeriod: 7 }))).toMatchObject({
      status: 409,
      code: 'conflict',
    })
    await ada.call(calls.setExtensions, { templateId, version: 2, certificatePolicies: [] })
    expect(await ada.call(calls.extensions, { templateId })).toMatchObject({
      validityPeriod: 90,
      keyUsages: ['digitalSignature', 'keyEncipherment'],
      certificatePolicies: [],
    })
  })

  test('saves a template whole: what is left out becomes nothing in silence', async () => {
    const { templateId } = await ada.call(
      calls.add,
      draft({
        accessLevel: 'ADMINISTRATOR',
        enabled: false,
        issueApprovers: 2,
        extensions: { validityPeriod: 90, validityPeriodUnits: 'DAYS' },
      }),
    )
    const { extensions, rules, ...read } = await ada.call(calls.get, { templateId })
    const { validityPeriod: _, ...lacking } = extensions
    const { maximumNames: __, ...fewer } = rules
    const { templateName, caId: own } = read
    const error = await refused(
      ada.call(calls.edit, { templateId, version: 1, templateName, caId: own, extensions: lacking, rules: fewer } as never),
    )
    const required = [
      'displayName',
      'class',
      'accessLevel',
      'selfServiceEligible',
      'enabled',
      'issueApprovers',
      'revocationApprovers',
      'extensions.validityPeriod',
      'rules.maximumNames',
    ]
    expect([error.status, error.fields]).toEqual([
      400,
      required.map((field) => ({ field, says: expect.stringContaining(`${field} is required`) as string })),
    ])
    expect(await ada.call(calls.get, { templateId })).toEqual({ extensions, rules, ...read })
  })

  test('takes nothing away that a template need not have, unless it is told to', async () => {
    const further = {
      keyArchival: true,
      recoveryApprovers: 3,
      renewalDays: 20,
      extendedUsages: ['OCSPSigning' as const],
      ocspNoCheck: true,
    }
    const { templateId } = await ada.call(
      calls.add,
      draft({ priority: 4, extensions: further, rules: { keys: ['P-256'], attestation: true, allowedAddresses: ['10.0.0.0/8'] } }),
    )
    const { extensions, rules, priority: _, ...read } = await ada.call(calls.get, { templateId })
    const { keyArchival: _a, recoveryApprovers: _r, renewalDays: _d, ocspNoCheck: _n, ...lacking } = extensions
    const { attestation: _t, allowedAddresses: _s, ...fewer } = rules
    const named = [
      'priority',
      'extensions.renewalDays',
      'extensions.ocspNoCheck',
      'extensions.keyArchival',
      'extensions.recoveryApprovers',
      'rules.allowedAddresses',
      'rules.attestation',
    ]
    const error = await refused(ada.call(calls.edit, { ...read, extensions: lacking, rules: fewer }))
    expect([error.status, error.fields]).toEqual([
      400,
      named.map((field) => ({ field, says: `${field} is required, as the template has it: send null to take it away` })),
    ])
    const nothing = { keyArchival: null, recoveryApprovers: null, renewalDays: null, ocspNoCheck: false }
    await ada.call(calls.edit, {
      ...read,
      priority: null,
      extensions: { ...lacking, ...nothing },
      rules: { ...fewer, attestation: false, allowedAddresses: null },
    })
    const { priority, extensions: left, rules: leftRules } = await ada.call(calls.get, { templateId })
    expect([priority, left, leftRules]).toEqual([undefined, { ...lacking, ocspNoCheck: false }, { ...fewer, attestation: false }])
    await ada.call(calls.setExtensions, { templateId, recoveryApprovers: 2, renewalDays: 9 })
    await ada.call(calls.setExtensions, { templateId, renewalDays: null })
    expect(await ada.call(calls.extensions, { templateId })).toEqual({
      templateId,
      version: 4,
      ...lacking,
      ocspNoCheck: false,
      recoveryApprovers: 2,
    })
  })

  test('refuses fields that it does not know, however deep, and saves nothing', async () => {
    const { templateId } = await ada.call(calls.add, draft())
    const read = await ada.call(calls.get, { templateId })
    expect((await refused(ada.call(calls.add, { ...draft(), issueAprovers: 2 } as never))).fields).toEqual([
      { field: 'issueAprovers', says: 'There is no field issueAprovers here. Did you mean issueApprovers?' },
    ])
    expect((await refused(ada.call(calls.setExtensions, { templateId, validityperiod: 5 } as never))).fields).toEqual([
      { field: 'validityperiod', says: 'There is no field validityperiod here. Did you mean validityPeriod?' },
    ])
    const error = await refused(
      ada.call(calls.edit, {
        ...read,
        prioritty: 1,
        extensions: { ...read.extensions, keyArchivall: true },
        rules: { ...read.rules, wildcard: true },
      } as never),
    )
    expect([error.status, error.fields.map(({ field }) => field)]).toEqual([
      400,
      ['extensions.keyArchivall', 'rules.wildcard', 'prioritty'],
    ])
    expect(await ada.call(calls.get, { templateId })).toEqual(read)
    expect(await ada.call(calls.edit, read)).toEqual({ templateId, version: 2 })
  })

  test.each([
    ['templateName', 'bank\u202eSLT', 'a character that changes the direction of writing (U+202E)'],
    ['displayName', 'TLS\u200b server', 'an invisible or invalid character (U+200B)'],
    ['displayName', 'TLS\u0085 server', 'a control character (U+0085)'],
  ])('takes no %s that reads otherwise than it is written', async (field, name, what) => {
    expect((await refused(ada.call(calls.add, draft({ [field]: name })))).fields).toEqual([{ field, says: `The name holds ${what}.` }])
  })

  test('saves over the version that was read, and not over a newer one', async () => {
    const { templateId } = await ada.call(calls.add, draft())
    const { caName: _, updatedAt: __, ...read } = await ada.call(calls.get, { templateId })
    expect((await ada.call(calls.edit, { ...read, displayName: 'First' })).version).toBe(2)
    expect(await refused(ada.call(calls.edit, { ...read, displayName: 'Second' }))).toMatchObject({ status: 409, code: 'conflict' })
    expect((await ada.call(calls.get, { templateId })).displayName).toBe('First')
  })

  test.each([
    ['certificate signing', { extensions: { keyUsages: ['keyCertSign'] } }, 'extensions.keyUsages'],
    [
      'an X.400 address',
      { extensions: { certificateSans: [{ sanField: 'X400_ADDRESS', fieldValue: 'x' }] } },
      'extensions.certificateSans.0.sanField',
    ],
    [
      'an EDI party name',
      { extensions: { certificateSans: [{ sanField: 'EDI_PARTY_NAME', fieldValue: 'x' }] } },
      'extensions.certificateSans.0.sanField',
    ],
    ['any purpose', { extensions: { customUsages: ['2.5.29.37.0'] } }, 'extensions.customUsages.0'],
    ['a purpose that is no identifier', { extensions: { customUsages: ['codeSigning'] } }, 'extensions.customUsages.0'],
    [
      'a policy that is no identifier',
      { extensions: { certificatePolicies: [{ policyIdentifier: '3.1', cps: '' }] } },
      'extensions.certificatePolicies.0.policyIdentifier',
    ],
    ['an exemption from status for anybody but an OCSP signer', { extensions: { ocspNoCheck: true } }, 'extensions.ocspNoCheck'],
    ['no key', { rules: { keys: [] } }, 'rules.keys'],
    ['a malformed domain', { rules: { keys: ['P-256'], allowedDomains: ['*'] } }, 'rules.allowedDomains.0'],
    ['half a year', { extensions: { validityPeriod: 0.5 } }, 'extensions.validityPeriod'],
    ['an unknown authority', { caId: '00000000-0000-7000-8000-000000000000' }, 'caId'],
  ] as const)('refuses %s at its field', async (_what, change, field) => {
    const error = await refused(ada.call(calls.add, draft(structuredClone(change) as Partial<DraftOf<typeof calls.add>>)))
    expect(error.status).toBe(400)
    expect(error.fields.map((fault) => fault.field)).toContain(field)
  })

  test('refuses a name that the authority has already, in any case of letters', async () => {
    const added = draft()
    await ada.call(calls.add, added)
    expect(await refused(ada.call(calls.add, draft({ templateName: added.templateName.toUpperCase() })))).toMatchObject({
      status: 409,
      code: 'nameTaken',
    })
  })

  test('deletes', async () => {
    const { templateId } = await ada.call(calls.add, draft())
    await ada.call(calls.remove, { templateId })
    expect((await refused(ada.call(calls.get, { templateId }))).status).toBe(404)
  })
})

describe('the preview', () => {
  test('shows the certificate that would come out of the draft', async () => {
    const shown = await ada.call(calls.preview, { draft: draft({ rules: { keys: ['P-256'], allowedDomains: ['*.acme.test'] } }) })
    expect(shown.faults).toEqual([])
    expect(shown.planned).toMatchObject({
      issuer: 'CN=Acme Root',
      subject: 'CN=host.acme.test',
      sans: [{ sanField: 'DNS', value: 'host.acme.test' }],
      key: 'EC P-256',
      keyUsages: ['Digital signature'],
    })
  })

  test.each(allPresets.map((preset) => [preset.templateName, preset] as const))(
    'of the preset %s has nothing to say against it, with any of its keys',
    async (_name, { says: _says, ...preset }) => {
      for (const key of preset.rules.keys.filter((name) => name !== 'RSA-4096' && name !== 'RSA-3072')) {
        const shown = await ada.call(calls.preview, { draft: { ...preset, caId, rules: { ...preset.rules, keys: [key] } } })
        expect([key, shown.faults, shown.findings]).toEqual([key, [], []])
      }
    },
  )

  test('makes every form of alternative name but the two that are known on the wire only', async () => {
    const sans = (
      ['OTHER_NAME', 'RFC822', 'DNS', 'URI', 'IP', 'REGISTERED_ID', 'DIRECTORY_NAME', 'SAN_TYPE_HARDWARE_MODULE_NAME'] as const
    ).map((sanField) => ({ sanField, fieldValue: sourceOf[sanField] }))
    const extensions = {
      certificateSans: sans,
      extendedUsages: ['clientAuth' as const],
      customUsages: ['1.3.6.1.4.1.311.10.3.4'],
      certificatePolicies: [{ policyIdentifier: '1.3.6.1.4.1.99999.2', cps: 'https://pki.example.org/cps' }],
      microsoftTemplateName: 'Everything',
    }
    const shown = await ada.call(calls.preview, {
      draft: draft({ extensions }),
      values: {
        UPN: ['host@example.org'],
        Email: ['host@example.org'],
        DNS: ['host.example.org'],
        URI: ['https://host.example.org/'],
        IP: ['192.0.2.7'],
        RegisteredId: ['1.3.6.1.4.1.99999.7'],
        DirectoryName: ['CN=host,O=Example'],
        HardwareModule: ['1.3.6.1.4.1.99999:0A1B'],
      },
    })
    expect([shown.faults, shown.findings]).toEqual([[], []])
    expect(shown.planned?.sans.map(({ sanField }) => sanField)).toEqual(sans.map(({ sanField }) => sanField))
    expect(shown.planned?.extendedUsages).toEqual(['TLS client auth', 'microsoftEncryptingFileSystem'])
  })

  test.each([
    ['RegisteredId', '1.41.2', 'not an object identifier'],
    ['DirectoryName', 'Somebody', 'not a directory name'],
    ['DirectoryName', 'CN=#0c0178', 'write values as text'],
    ['HardwareModule', '1.3.6.1:xyz', 'not a hardware module'],
  ])('takes no %s such as "%s"', async (source, value, says) => {
    const sanField = (Object.keys(sourceOf) as (keyof typeof sourceOf)[]).find((name) => sourceOf[name] === source) ?? 'DNS'
    const shown = await ada.call(calls.preview, {
      draft: draft({ extensions: { certificateSans: [{ sanField, fieldValue: source }], extendedUsages: ['clientAuth'] } }),
      values: { [source]: [value] },
    })
    expect(shown.faults).toEqual([{ field: `values.${source}`, says: expect.stringContaining(says) }])
  })

  test('says what is wrong with a draft instead of failing', async () => {
    const shown = await ada.call(calls.preview, { draft: draft({ extensions: { keyUsages: ['keyCertSign'] } }), csr: 'junk' })
    expect(shown.faults.map(({ field }) => field)).toEqual(['extensions.keyUsages', 'csr'])
  })

  test('warns where the authority ends before the certificate would', async () => {
    const shown = await ada.call(calls.preview, { draft: draft({ extensions: { validityPeriod: 90 } }) })
    expect(shown.findings.map(({ code }) => code)).toContain('validityShortened')
  })
})

test('what is offered depends on the permissions: everything to uploaders, self-service to anybody', async () => {
  const { templateId: open } = await ada.call(calls.add, draft({ selfServiceEligible: true }))
  const { templateId: closed } = await ada.call(calls.add, draft())
  const { templateId: off } = await ada.call(calls.add, draft({ enabled: false }))
  const { templateId: high } = await ada.call(calls.add, draft({ accessLevel: 'ADMINISTRATOR' }))
  const offered = async (person: TestPerson) =>
    (await person.call(calls.offered, { entity: 'device' })).templates.map(({ templateId }) => templateId)
  const [anybody, uploader] = await Promise.all([acme.person({ permissions: [] }), acme.person({ permissions: ['certSigningRequest'] })])
  expect((await offered(anybody)).filter((id) => [open, closed, off, high].includes(id))).toEqual([open])
  expect((await offered(uploader)).filter((id) => [open, closed, off, high].includes(id)).toSorted()).toEqual([open, closed].toSorted())
  expect(await offered(ada)).toContain(high)
  expect((await ada.call(calls.offered, { entity: 'user' })).templates).toEqual([])
})

test("another tenancy's template is as good as missing, and templates need the permission", async () => {
  const { templateId } = await ada.call(calls.add, draft())
  const other = await house.tenancy('Umbrella')
  const eve = await other.person({ permissions: 'all' })
  for (const call of [
    () => eve.call(calls.get, { templateId }),
    () => eve.call(calls.extensions, { templateId }),
    () => eve.call(calls.remove, { templateId }),
    () => eve.call(calls.setExtensions, { templateId }),
  ])
    expect(await refused(call())).toMatchObject({ status: 404, code: 'missing' })
  expect((await refused(eve.call(calls.add, draft()))).fields).toEqual([
    { field: 'caId', says: 'Choose an authority that has a certificate' },
  ])
  expect((await eve.call(calls.list, {})).total).toBe(0)
  const plain = await acme.person({ permissions: ['certView'] })
  expect((await refused(plain.call(calls.list, {}))).status).toBe(403)
})

test('an authority begins with five templates, and gets none twice', async () => {
  const other = (
    await ada.call(authorities.calls.create, {
      kind: 'root',
      friendlyName: 'Second Root',
      subject: { CN: 'Second Root' },
      keyAlgorithm: 'P-256',
    })
  ).caId
  const make = () =>
    inTenant(house.house.database, acme.id, (db) => createDefaultTemplates(db, { tenantId: acme.id, caId: other, now: house.clock.now() }))
  const first = await make()
  expect(Object.keys(first)).toEqual(['TLSServer', 'TLSClient', 'User', 'Smartcard', 'Device'])
  expect(await make()).toEqual(first)
  expect((await ada.call(calls.list, { caId: other })).total).toBe(5)
})

test('a template for smartcards only is for people, and no form offers it', async () => {
  const forDevices = await refused(ada.call(calls.add, draft({ rules: { keys: ['P-256'], cardsOnly: true } })))
  expect(forDevices.fields).toEqual([{ field: 'rules.cardsOnly', says: 'Only certificates of people are put on smartcards' }])
  const { templateId: card } = await ada.call(
    calls.add,
    draft({ class: 'USER', selfServiceEligible: true, rules: { keys: ['P-256'], cardsOnly: true } }),
  )
  const { templateId: open } = await ada.call(calls.add, draft({ class: 'USER', selfServiceEligible: true }))
  const ids = (await ada.call(calls.offered, { entity: 'user' })).templates.map(({ templateId }) => templateId)
  expect([card, open].filter((id) => ids.includes(id))).toEqual([open])
})

test('a system template is added to an authority once, by those who may manage them', async () => {
  const cert = await acme.person({ permissions: ['certificateConfig'] })
  const { caId: fresh } = await ada.call(authorities.calls.create, {
    kind: 'root',
    friendlyName: 'System Root',
    subject: { CN: 'System Root' },
    keyAlgorithm: 'P-256',
  })
  await cert.call(calls.addSystem, { templateName: 'Radius', caId: fresh })
  const { templates: system } = await cert.call(calls.system, {})
  expect(system.map(({ templateName }) => templateName)).toEqual(allPresets.map(({ templateName }) => templateName))
  expect(system.find(({ templateName }) => templateName === 'Radius')?.presentAt).toEqual([fresh])
  expect(system.find(({ templateName }) => templateName === 'Radius')?.extendedUsages).toEqual([
    'TLS server auth',
    'EAP over PPP',
    'EAP over LAN',
  ])
  expect(await refused(cert.call(calls.addSystem, { templateName: 'Radius', caId: fresh }))).toMatchObject({
    status: 409,
    code: 'nameTaken',
  })
  expect((await refused(cert.call(calls.addSystem, { templateName: 'Anything', caId: fresh }))).fields).toMatchObject([
    { field: 'templateName' },
  ])
})
