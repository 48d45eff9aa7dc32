// Opens a tenancy with a two-tier PKI, its templates and the people of the main job; and openssl, which makes requests and judges results.

import { authorities } from '#areas/authorities/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { templatePresets } from '#areas/templates/presets.ts'
import type { DraftOf } from '#core/contract/contract.ts'
import {
  openTestHouse,
  useSharedHouse,
  type SharedHouse,
  type TestHouseOptions,
  type TestPerson,
  type TestTenancy,
} from '#core/testing/house.ts'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'

export type IssuingFixture = {
  tenancy: TestTenancy
  /** Manages authorities and templates, and may upload requests. */
  ada: TestPerson
  /** Approve, and upload besides. */
  bob: TestPerson
  cy: TestPerson
  /** May sign in, nothing else. */
  eve: TestPerson
  rootId: string
  caId: string
  chainFile: string
  rootFile: string
  /** Template ids by name. */
  template: Record<string, string>
  addTemplate(preset: string, change: Partial<DraftOf<typeof templates.calls.add>>): Promise<string>
}

export async function openIssuing(house: Pick<SharedHouse, 'tenancy'>, tools: OpenSsl, name: string): Promise<IssuingFixture> {
  const tenancy = await house.tenancy(name)
  const ada = await tenancy.person({
    permissions: ['manageCAs', 'certSigningRequest', 'certSigningRequestUser', 'certView', 'collectCertificate'],
    givenName: 'Ada',
    familyName: 'Lovelace',
  })
  const [bob, cy] = await Promise.all([
    tenancy.person({ permissions: ['certApprovals', 'certSigningRequest', 'certView'] }),
    tenancy.person({ permissions: ['certApprovals', 'certSigningRequest', 'certView'] }),
  ])
  const eve = await tenancy.person({ permissions: [] })
  const { caId: rootId } = await ada.call(authorities.calls.create, {
    kind: 'root',
    friendlyName: `${name} Root`,
    subject: { C: 'AU', O: name, CN: `${name} Root` },
    keyAlgorithm: 'P-256',
  })
  const { caId } = await ada.call(authorities.calls.create, {
    kind: 'subordinate',
    friendlyName: `${name} Issuing`,
    subject: { C: 'AU', O: name, CN: `${name} Issuing` },
    keyAlgorithm: 'P-256',
    issuerId: rootId,
  })
  const [root, issuing] = await Promise.all([
    ada.call(authorities.calls.view, { caId: rootId }),
    ada.call(authorities.calls.view, { caId }),
  ])
  const template: Record<string, string> = {}
  let count = 0
  const addTemplate: IssuingFixture['addTemplate'] = async (presetName, change) => {
    const preset = templatePresets.find(({ templateName }) => templateName === presetName)
    if (preset === undefined) throw new Error(`There is no preset ${presetName}`)
    const { says: _, ...draft } = preset
    const { templateId } = await ada.call(templates.calls.add, { ...draft, templateName: `${presetName}${(count += 1)}`, caId, ...change })
    return templateId
  }
  for (const { templateName } of templatePresets) template[templateName] = await addTemplate(templateName, { templateName })
  return {
    tenancy,
    ada,
    bob,
    cy,
    eve,
    rootId,
    caId,
    template,
    addTemplate,
    rootFile: tools.write(root.certificate?.pem ?? ''),
    chainFile: tools.write(issuing.certificate?.pem ?? ''),
  }
}

/** Opens a house with the PKI of Acme, at the start of a test file. `head`: the name of the tenancy that manages the others. */
export async function openIssuingHouse({ head, ...options }: { head?: string } & TestHouseOptions = {}) {
  const house = await openTestHouse(options)
  const tools = openSsl()
  if (head !== undefined) await house.tenancy(head)
  const pki = await openIssuing(house, tools, 'Acme')
  const close = async (): Promise<void> => {
    tools.close()
    await house.close()
  }
  return { house, tools, pki, close }
}

/** The same in the house that the files of a worker share. */
export async function openSharedIssuing() {
  const house = await useSharedHouse()
  const tools = openSsl()
  return { house, tools, pki: await openIssuing(house, tools, 'Acme'), close: tools.close }
}

export type OpenSsl = {
  run(...args: string[]): string
  write(content: string | Uint8Array): string
  /** A CSR in PEM with the key it was made from. */
  csr(options?: { key?: string[]; subject?: string; extensions?: string[]; keyFile?: string }): { csr: string; keyFile: string }
  close(): void
}

const ecKey = ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256']

export function openSsl(): OpenSsl {
  const tools = openToolFolder()
  let count = 0
  const write = (content: string | Uint8Array) => tools.write(`${(count += 1)}`, content)
  const run = (...args: string[]) => tools.run('openssl', ...args)
  return {
    run,
    write,
    csr({ key = ecKey, subject = '/CN=www.example.org', extensions = ['subjectAltName=DNS:www.example.org'], keyFile } = {}) {
      const file = keyFile ?? tools.path(`${(count += 1)}.key`)
      const [algorithm = 'ec', ...options] = key
      const newKey = keyFile === undefined ? ['-newkey', algorithm, ...options, '-keyout', file, '-nodes'] : ['-key', file]
      const config = write(`[req]\ndistinguished_name=dn\nstring_mask=utf8only\nutf8=yes\n[dn]\n`)
      const csr = run(
        'req',
        '-new',
        '-config',
        config,
        ...newKey,
        '-subj',
        subject,
        ...extensions.flatMap((extension) => ['-addext', extension]),
      )
      return { csr, keyFile: file }
    },
    close: tools.remove,
  }
}
