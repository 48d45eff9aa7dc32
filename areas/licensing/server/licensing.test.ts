import { beforeAll, describe, expect, test } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { audited } from '#core/testing/events.ts'
import { useHouse, type TestPerson } from '#core/testing/house.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { licensing } from '../contract.ts'

const { calls } = licensing

let caId: string
let templateId: string

const house = await useHouse()
const head = await house.tenancy('Head office')
const branch = await house.tenancy('Branch')
const sibling = await house.tenancy('Sibling')
const owner = await head.person({ permissions: 'all' })
const licensee = await branch.person({ permissions: 'all' })
const other = await sibling.person({ permissions: 'all' })
beforeAll(async () => {
  caId = (
    await owner.call(authorities.calls.create, {
      kind: 'root',
      friendlyName: 'Group Root',
      subject: { CN: 'Group Root' },
      keyAlgorithm: 'P-256',
    })
  ).caId
  templateId = await addTemplate('Server', {
    rules: { keys: ['P-256', 'RSA-2048'], allowedDomains: ['*.example.org', 'example.net'], wildcards: true },
    issueApprovers: 1,
  })
})

const addTemplate = async (templateName: string, more: object = {}): Promise<string> =>
  (
    await owner.call(templates.calls.add, {
      templateName,
      caId,
      class: 'DEVICE',
      extensions: { extendedUsages: ['serverAuth'] },
      rules: { keys: ['P-256'] },
      ...more,
    })
  ).templateId

const refused = async (promise: Promise<unknown>): Promise<{ status: number; code: string; fields: { field: string; says: string }[] }> => {
  try {
    await promise
  } catch (error) {
    if (error instanceof Error && 'status' in error && 'code' in error && 'fields' in error)
      return error as Error & Awaited<ReturnType<typeof refused>>
    throw error
  }
  throw new Error('The call was not refused')
}

const offeredTo = async (person: TestPerson) => (await person.call(templates.calls.offered, { entity: 'device' })).templates
const licence = (enabled: boolean) => owner.call(calls.licenseTemplate, { tenantId: branch.id, templateId, enabled })

describe('A licence', () => {
  test('is given by the management tenancy, to tenancies that it manages, of what is its own', async () => {
    expect(await owner.call(calls.tenants, {})).toMatchObject({
      rows: [{ name: 'Branch', authorities: 0, templates: 0 }, { name: 'Sibling' }],
      total: 2,
      mayLicense: true,
    })
    expect(await licensee.call(calls.tenants, {})).toMatchObject({ rows: [], mayLicense: false })
    expect(await refused(licensee.call(calls.licenseAuthority, { tenantId: sibling.id, caId, enabled: true }))).toMatchObject({
      status: 409,
      code: 'notManagement',
    })
    expect(await refused(owner.call(calls.licenseAuthority, { tenantId: head.id, caId, enabled: true }))).toMatchObject({ status: 404 })
    const { caId: branchs } = await licensee.call(authorities.calls.create, {
      kind: 'root',
      friendlyName: 'Branch Root',
      subject: { CN: 'Branch Root' },
      keyAlgorithm: 'P-256',
    })
    expect(await refused(owner.call(calls.licenseAuthority, { tenantId: sibling.id, caId: branchs, enabled: true }))).toMatchObject({
      status: 404,
    })
  })

  test('for a template needs one for its authority first', async () => {
    expect(await refused(licence(true))).toMatchObject({ status: 409, code: 'authorityFirst' })
  })

  test('shows the template to the licensee at once, and to nobody else', async () => {
    expect(await offeredTo(licensee)).toEqual([])
    await owner.call(calls.licenseAuthority, { tenantId: branch.id, caId, enabled: true })
    expect(await offeredTo(licensee)).toEqual([])
    await licence(true)
    const [row] = await offeredTo(licensee)
    expect(row).toMatchObject({ templateId, caId, caName: 'Group Root', templateName: 'Server', issueApprovers: 1 })
    expect(row?.licensedTemplateId).not.toBe(templateId)
    expect(await offeredTo(other)).toEqual([])
    expect((await other.call(calls.templates, {})).rows).toEqual([])
    expect((await other.call(calls.registered, {})).rows).toEqual([])
    expect(await owner.call(calls.tenants, { text: 'branch' })).toMatchObject({ rows: [{ authorities: 1, templates: 1 }] })
  })

  test('is in the record of both tenancies', async () => {
    const own = (await audited(house, head.id))
      .filter(({ area, outcome }) => area === 'licensing' && outcome === 'done')
      .map(({ name, actor }) => [name, actor])
    expect(own).toEqual([
      ['authorityLicensed', owner.username],
      ['templateLicensed', owner.username],
    ])
    const theirs = (await audited(house, branch.id)).filter(({ area, outcome }) => area === 'licensing' && outcome === 'done')
    expect(theirs.map(({ name, actor, body }) => [name, actor, JSON.parse(body)])).toEqual([
      ['licenceReceived', `${owner.username} (Head office)`, { caId, ownerId: head.id, after: { enabled: true } }],
      ['licenceReceived', `${owner.username} (Head office)`, { caId, templateId, ownerId: head.id, after: { enabled: true } }],
    ])
    expect((await audited(house, sibling.id)).filter(({ area, outcome }) => area === 'licensing' && outcome === 'done')).toEqual([])
  })

  test('gives no right over the authority or the template themselves', async () => {
    expect(await refused(licensee.call(authorities.calls.view, { caId }))).toMatchObject({ status: 404 })
    expect(await refused(licensee.call(templates.calls.get, { templateId }))).toMatchObject({ status: 404 })
    expect(await refused(licensee.call(templates.calls.setExtensions, { templateId }))).toMatchObject({ status: 404 })
    expect(
      (await refused(licensee.call(templates.calls.add, { templateName: 'Own', caId, extensions: {}, rules: { keys: ['P-256'] } }))).fields,
    ).toMatchObject([{ field: 'caId' }])
    expect(
      (
        await refused(
          licensee.call(authorities.calls.create, { kind: 'subordinate', friendlyName: 'Below', subject: { CN: 'Below' }, issuerId: caId }),
        )
      ).fields,
    ).toMatchObject([{ field: 'issuerId' }])
  })

  test('stands in the list of authorities, with the flags of each template', async () => {
    const row = (await owner.call(authorities.calls.list, {})).rows.find(({ id }) => id === caId)
    expect(row?.licensedTenants).toEqual([
      { tenantId: head.id, enabled: true },
      { tenantId: branch.id, enabled: true },
    ])
    expect(row?.licensedTemplates).toEqual([
      {
        id: templateId,
        displayName: 'Server',
        class: 'DEVICE',
        templateFriendlyName: 'Server',
        type: 'CERTIFICATE_TYPE_DEVICE',
        licensedTemplateId: templateId,
        enabled: true,
        anonymousEnabled: false,
        selfServiceEligible: false,
        loading: false,
      },
    ])
  })

  test('taken back ends the offer at once, and given again brings it back as it was', async () => {
    const [before] = await offeredTo(licensee)
    await licence(false)
    expect(await offeredTo(licensee)).toEqual([])
    expect((await licensee.call(calls.templates, {})).rows).toMatchObject([
      { templateName: 'Server', granted: false, enabled: false, own: false, owner: 'Head office' },
    ])
    await licence(true)
    await owner.call(calls.licenseAuthority, { tenantId: branch.id, caId, enabled: false })
    expect(await offeredTo(licensee)).toEqual([])
    // Of a template counts what holds, and it does not without its authority's.
    expect((await owner.call(calls.tenants, { text: 'branch' })).rows).toMatchObject([{ authorities: 0, templates: 0 }])
    expect((await licensee.call(calls.registered, {})).rows.find(({ id }) => id === caId)).toMatchObject({
      origin: 'licensed',
      owner: 'Head office',
      enabled: false,
    })
    await owner.call(calls.licenseAuthority, { tenantId: branch.id, caId, enabled: true })
    expect(await offeredTo(licensee)).toEqual([before])
  })

  test('follows its template: a change by the owner holds from that moment', async () => {
    await owner.call(templates.calls.setExtensions, {
      templateId,
      validityPeriod: 30,
      validityPeriodUnits: 'DAYS',
      extendedUsages: ['serverAuth'],
    })
    expect(await offeredTo(licensee)).toMatchObject([{ validityPeriod: 30, validityPeriodUnits: 'DAYS' }])
    await owner.call(authorities.calls.setIssuing, { caId, issuing: false })
    expect(await offeredTo(licensee)).toEqual([])
    await owner.call(authorities.calls.setIssuing, { caId, issuing: true })
    const gone = await addTemplate('Passing')
    await owner.call(calls.licenseTemplate, { tenantId: branch.id, templateId: gone, enabled: true })
    expect((await offeredTo(licensee)).map(({ templateName }) => templateName)).toEqual(['Passing', 'Server'])
    await owner.call(templates.calls.remove, { templateId: gone })
    expect((await licensee.call(calls.templates, {})).rows.map(({ templateName }) => templateName)).toEqual(['Server'])
  })
})

describe('A tenancy', () => {
  const mine = async () => (await licensee.call(calls.templates, {})).rows.find((row) => row.templateId === templateId)

  test('switches a licensed template on and off for itself, and for self-service and strangers', async () => {
    const licensedTemplateId = (await mine())?.licensedTemplateId ?? ''
    await licensee.call(calls.setFlags, { licensedTemplateId, enabled: true, anonymousEnabled: true, selfServiceEligible: true })
    const plain = await branch.person({ permissions: [] })
    expect((await offeredTo(plain)).map(({ templateName }) => templateName)).toEqual(['Server'])
    expect(await mine()).toMatchObject({ enabled: true, anonymousEnabled: true, selfServiceEligible: true })
    await licensee.call(calls.setFlags, { licensedTemplateId, enabled: false, anonymousEnabled: false, selfServiceEligible: false })
    expect(await offeredTo(licensee)).toEqual([])
    expect((await owner.call(calls.templates, {})).rows).toMatchObject([{ enabled: true, own: true }])
    await licensee.call(calls.setFlags, { licensedTemplateId, enabled: true, anonymousEnabled: false, selfServiceEligible: false })
    expect(
      await refused(other.call(calls.setFlags, { licensedTemplateId, enabled: true, anonymousEnabled: false, selfServiceEligible: false })),
    ).toMatchObject({ status: 404 })
  })

  test('opens no template for people to strangers, who have devices only', async () => {
    const ofPeople = await addTemplate('People', { class: 'USER' })
    const licensedTemplateId =
      (await owner.call(calls.templates, {})).rows.find((row) => row.templateId === ofPeople)?.licensedTemplateId ?? ''
    expect(
      await refused(owner.call(calls.setFlags, { licensedTemplateId, enabled: true, anonymousEnabled: true, selfServiceEligible: false })),
    ).toMatchObject({ status: 409, code: 'forPeople' })
    await owner.call(templates.calls.remove, { templateId: ofPeople })
  })

  test('lays stricter rules over a template, and none that are wider', async () => {
    const licensedTemplateId = (await mine())?.licensedTemplateId ?? ''
    const { says, version } = await licensee.call(calls.rule, { licensedTemplateId })
    expect(says).toMatchObject({ keys: ['P-256', 'RSA-2048'], allowedDomains: ['*.example.org', 'example.net'], issueApprovers: 1 })
    const wide = await refused(
      licensee.call(calls.setRule, {
        licensedTemplateId,
        version,
        keys: ['P-384'],
        allowedDomains: ['branch.example.org', 'example.com', 'no domain'],
      }),
    )
    expect(wide.fields.map(({ field }) => field)).toEqual(['keys', 'allowedDomains.1', 'allowedDomains.2'])
    await licensee.call(calls.setRule, {
      licensedTemplateId,
      version,
      keys: ['P-256'],
      allowedDomains: ['*.branch.example.org'],
      issueApprovers: 2,
      wildcards: false,
    })
    expect(await refused(licensee.call(calls.setRule, { licensedTemplateId, version, keys: [] }))).toMatchObject({
      status: 409,
      code: 'conflict',
    })
    const [offered] = await offeredTo(licensee)
    expect(offered).toMatchObject({ keys: ['P-256'], issueApprovers: 2 })
    expect(JSON.parse(offered?.csrRules ?? '')).toMatchObject({
      keys: ['P-256'],
      allowedDomains: ['*.branch.example.org'],
      wildcards: false,
    })
    expect((await licensee.call(calls.rules, {})).rows).toMatchObject([
      { narrowed: true, issueApprovers: 2, allowedDomains: ['*.branch.example.org'] },
    ])
    expect(await owner.call(templates.calls.get, { templateId })).toMatchObject({
      issueApprovers: 1,
      rules: { keys: ['P-256', 'RSA-2048'], allowedDomains: ['*.example.org', 'example.net'] },
    })
  })

  test('cannot keep what its template has taken away since', async () => {
    const template = await owner.call(templates.calls.get, { templateId })
    const { caName: _name, updatedAt: _at, ...draft } = template
    const { version } = await owner.call(templates.calls.edit, { ...draft, rules: { ...draft.rules, keys: ['RSA-2048'] } })
    expect(await offeredTo(licensee)).toEqual([])
    await owner.call(templates.calls.edit, { ...draft, version })
    expect((await offeredTo(licensee)).map(({ keys }) => keys)).toEqual([['P-256']])
  })

  test('lays rules over its own templates, too, which the editor does not show as the template’s', async () => {
    const own = await addTemplate('Narrow', { rules: { keys: ['P-256', 'Ed25519'] } })
    const { version } = await owner.call(calls.rule, { licensedTemplateId: own })
    await owner.call(calls.setRule, { licensedTemplateId: own, version, keys: ['Ed25519'], maximumNames: 3 })
    expect((await offeredTo(owner)).find((row) => row.templateId === own)?.keys).toEqual(['Ed25519'])
    expect((await owner.call(templates.calls.get, { templateId: own })).rules.keys).toEqual(['P-256', 'Ed25519'])
  })

  test.each(['licensed', 'own'])(
    'are saved by one of two who save over one version at the same moment, and nothing that was saved is lost: %s',
    async (whose) => {
      const by = whose === 'own' ? owner : licensee
      const licensedTemplateId = whose === 'own' ? await addTemplate('Raced') : ((await mine())?.licensedTemplateId ?? '')
      const rules = await by.call(calls.rule, { licensedTemplateId })
      const outcome = (work: Promise<unknown>) =>
        work.then(
          () => 'saved',
          (error: unknown) => String(Object(error).code),
        )
      const [kept] = rules.says.keys
      for (let round = 0; round < 6; round += 1) {
        const { version } = await by.call(calls.rule, { licensedTemplateId })
        const save = (maximumNames: number) =>
          outcome(by.call(calls.setRule, { licensedTemplateId, version, keys: [kept ?? 'P-256'], maximumNames }))
        expect((await Promise.all([save(1), save(2), save(1), save(2)])).toSorted()).toEqual(['conflict', 'conflict', 'conflict', 'saved'])
        const now = await by.call(calls.rule, { licensedTemplateId })
        const required = round % 2 === 0
        const [rule, attestation] = await Promise.all([
          outcome(by.call(calls.setRule, { licensedTemplateId, version: now.version, keys: [kept ?? 'P-256'], maximumNames: 3 })),
          outcome(by.call(calls.setAttestation, { licensedTemplateId, required })),
        ])
        const after = {
          names: (await by.call(calls.rule, { licensedTemplateId })).rules.maximumNames,
          required: (await by.call(calls.attestation, {})).templates.find((row) => row.licensedTemplateId === licensedTemplateId)?.required,
        }
        expect([rule === 'saved' ? after.names === 3 : rule, attestation === 'saved' ? after.required === required : attestation]).toEqual([
          expect.toBeOneOf([true, 'conflict']),
          expect.toBeOneOf([true, 'conflict']),
        ])
      }
      await by.call(calls.setAttestation, { licensedTemplateId, required: false })
      const { version } = await by.call(calls.rule, { licensedTemplateId })
      await by.call(calls.setRule, { ...rules.rules, licensedTemplateId, version })
    },
  )
})

describe('The order of templates', () => {
  test('is kept for each tenancy: static ones first, then mandatory ones, then the others', async () => {
    for (const name of ['Alpha', 'Beta']) await addTemplate(name)
    const before = (await owner.call(calls.ordered, {})).templates
    const wanted = [...before].reverse().map(({ licensedTemplateId, templateName }) => ({
      licensedTemplateId,
      pinned: templateName === 'Beta' ? ('static' as const) : templateName === 'Alpha' ? ('mandatory' as const) : ('' as const),
    }))
    const { templates: numbered } = await owner.call(calls.setOrder, { templates: wanted })
    expect(numbered.map(({ priority }) => priority)).toEqual(numbered.map((_, at) => at + 1))
    const after = (await owner.call(calls.ordered, {})).templates
    expect(after.map(({ licensedTemplateId }) => licensedTemplateId)).toEqual(numbered.map(({ licensedTemplateId }) => licensedTemplateId))
    expect(after.slice(0, 2).map(({ templateName, priority }) => [templateName, priority])).toEqual([
      ['Beta', 1],
      ['Alpha', 2],
    ])
    expect((await offeredTo(owner)).slice(0, 2).map(({ templateName }) => templateName)).toEqual(['Beta', 'Alpha'])
    expect((await licensee.call(calls.ordered, {})).templates.map(({ priority }) => priority)).toEqual([undefined])
  })

  test('names each template once, and all of them', async () => {
    const places = (await owner.call(calls.ordered, {})).templates.map(({ licensedTemplateId, pinned }) => ({ licensedTemplateId, pinned }))
    const [first] = places
    if (first === undefined) throw new Error('There is no template')
    expect(await refused(owner.call(calls.setOrder, { templates: [...places, first] }))).toMatchObject({
      status: 400,
      fields: [{ field: 'templates' }],
    })
    expect(await refused(owner.call(calls.setOrder, { templates: places.slice(1) }))).toMatchObject({ status: 409, code: 'conflict' })
    expect(await refused(licensee.call(calls.setOrder, { templates: places }))).toMatchObject({ status: 404 })
  })
})

describe('An authority that is not ours', () => {
  const pemOf = async () => (await owner.call(authorities.calls.view, { caId })).certificate?.pem ?? ''

  test('is registered by its certificate, once, and forgotten again', async () => {
    const certificate = await pemOf()
    const { id } = await other.call(calls.register, { friendlyName: 'Group', certificate })
    expect((await other.call(calls.registered, { origin: 'outside' })).rows).toMatchObject([
      { id, friendlyName: 'Group', origin: 'outside', subject: 'CN=Group Root', status: 'ActiveCert' },
    ])
    expect(await refused(other.call(calls.register, { friendlyName: 'Twice', certificate }))).toMatchObject({
      code: 'known',
      fields: [{ field: 'certificate' }],
    })
    expect(await refused(licensee.call(calls.register, { friendlyName: 'Mine', certificate }))).toMatchObject({
      code: 'own',
      fields: [{ field: 'certificate', says: expect.stringMatching(/Group Root/) }],
    })
    await other.call(calls.forget, { id })
    expect(await refused(other.call(calls.forget, { id }))).toMatchObject({ status: 404 })
  })

  test.each([
    ['nothing that can be read', () => 'no certificate'],
    ['two certificates', async () => `${await pemOf()}${await pemOf()}`],
    ['one whose signature is not its own', async () => spoilt(await pemOf())],
    [
      'one that is cut short',
      async () => encodePem('CERTIFICATE', Buffer.from((await pemOf()).replace(/-----[^-]+-----|\s/g, ''), 'base64').subarray(0, 120)),
    ],
  ])('is not registered by %s', async (_, text) => {
    expect(await refused(other.call(calls.register, { friendlyName: 'Wrong', certificate: await text() }))).toMatchObject({
      status: 400,
      fields: [{ field: 'certificate' }],
    })
  })

  const spoilt = (pem: string): string => {
    const der = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64')
    const last = der.length - 1
    der[last] = (der[last] ?? 0) ^ 1
    return encodePem('CERTIFICATE', der)
  }
})

describe('Attestation by a TPM', () => {
  test('is demanded by policy, and a request without it is refused where the template is looked at', async () => {
    const certificate = (await owner.call(authorities.calls.view, { caId })).certificate?.pem ?? ''
    const { id: root } = await licensee.call(calls.addRoot, { manufacturer: 'Example TPMs', certificate })
    const licensedTemplateId = (await licensee.call(calls.attestation, {})).templates[0]?.licensedTemplateId ?? ''
    await licensee.call(calls.setAttestation, { licensedTemplateId, required: true, roots: [root] })
    expect(await licensee.call(calls.attestation, {})).toMatchObject({
      roots: [{ id: root, manufacturer: 'Example TPMs', subject: 'CN=Group Root' }],
      templates: [{ required: true, byTemplate: false, roots: [root] }],
    })
    expect(JSON.parse((await offeredTo(licensee))[0]?.csrRules ?? '')).toMatchObject({ attestation: true })
    expect(await refused(licensee.call(calls.removeRoot, { id: root }))).toMatchObject({ status: 409, code: 'used' })
    expect(await refused(other.call(calls.removeRoot, { id: root }))).toMatchObject({ status: 404 })
    await licensee.call(calls.setAttestation, { licensedTemplateId, required: false, roots: [] })
    await licensee.call(calls.removeRoot, { id: root })
    expect((await licensee.call(calls.attestation, {})).roots).toEqual([])
  })
})
