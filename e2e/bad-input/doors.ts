// The doors that a request can come in by, and what is expected of each: the calls of the product as it runs, asked by people who may.

import { authorities } from '#areas/authorities/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { decoder } from '#areas/decoder/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import type { DraftOf } from '#core/contract/contract.ts'
import { CallRefused } from '#core/testing/caller.ts'
import { decodePem } from '#standards/pem/pem.ts'
import { parseCertificate, type Certificate } from '#standards/x509/certificate.ts'
import { findExtension } from '#standards/x509/extensions.ts'
import { generalNameText } from '#standards/x509/general-names.ts'
import { KEY_PURPOSES } from '#standards/x509/key-purposes.ts'
import { formatName } from '#standards/x509/names.ts'
import type { Person } from '../support/people.ts'
import type { RequestCase } from './case.ts'
import { host } from './make.ts'

/** `faults`: where and why; `certificateId` where one was issued; `shown` where something was only shown. */
export type Answer = { status: number; faults: { field: string; says: string }[]; certificateId?: string; shown?: true }

export type RequestDoor = {
  name: string
  /** Whether a template that reads requests stands behind it. */ reads: boolean
  issues: boolean
  send(one: RequestCase, text: string): Promise<Answer>
}

type Reading = 'server' | 'forms' | 'client' | 'constrained'
export type Fixtures = {
  ada: Person
  reading: Record<Reading, string>
  ignoring: string
  user: string
  userReading: string
  draft(name: Reading): DraftOf<typeof templates.calls.add>
}

const base = { validityPeriod: 1, validityPeriodUnits: 'YEARS', renewalMode: 'MANUAL' } as const
const rules = {
  keys: ['RSA-2048', 'RSA-3072', 'RSA-4096', 'P-256', 'P-384', 'P-521', 'Ed25519', 'Ed448', 'ML-DSA-44'],
  allowedDomains: ['northwind.example', '*.northwind.example'],
  wildcards: false,
  maximumNames: 20,
} as const

export const serverUsages = ['digitalSignature', 'keyEncipherment'] as const

/** The templates of the matrix; each issues without asking anybody, so that what is wrong is issued if it can be. */
export async function openFixtures(ada: Person, caId: string, rootId: string): Promise<Fixtures> {
  const add = async (draft: DraftOf<typeof templates.calls.add>): Promise<string> => (await ada.call(templates.calls.add, draft)).templateId
  const drafts = {
    server: draftOf(caId, 'server'),
    forms: draftOf(caId, 'forms'),
    client: draftOf(caId, 'client'),
    constrained: draftOf(await constrainedAuthority(ada, rootId), 'constrained'),
  }
  const { server } = drafts
  const user = {
    ...server,
    templateName: 'MatrixUser',
    class: 'USER' as const,
    extensions: {
      ...server.extensions,
      ignoreCsrDetails: true,
      certificateSans: [{ sanField: 'RFC822' as const, fieldValue: 'Email' }],
      extendedUsages: ['clientAuth' as const],
    },
  }
  const userReading = { ...user, templateName: 'MatrixUserReads', extensions: { ...user.extensions, ignoreCsrDetails: false } }
  const reading = {
    server: await add(server),
    forms: await add(drafts.forms),
    client: await add(drafts.client),
    constrained: await add(drafts.constrained),
  }
  return {
    ada,
    reading,
    ignoring: await add(draftOf(caId, 'ignoring')),
    user: await add(user),
    userReading: await add(userReading),
    draft: (name) => drafts[name],
  }
}

/** Below it the template allows any name, so that its constraints are what refuses. */
async function constrainedAuthority(ada: Person, issuerId: string): Promise<string> {
  const permittedNames = (['DNS', 'RFC822'] as const).map((type) => ({ type, value: 'northwind.example' }))
  return (
    await ada.call(authorities.calls.create, {
      kind: 'subordinate',
      friendlyName: 'Matrix Constrained',
      subject: { CN: 'Matrix Constrained' },
      issuerId,
      permittedNames,
    })
  ).caId
}

const further = {
  server: [],
  client: [],
  ignoring: [],
  forms: [{ subjectField: 'C' as const, fieldValue: 'AU' }],
  constrained: [{ subjectField: 'emailAddress' as const, fieldValue: 'Email' }],
}

function draftOf(caId: string, name: Reading | 'ignoring') {
  const allForms = (['DNS', 'IP', 'URI'] as const).map((form) => ({ sanField: form, fieldValue: form as string }))
  return {
    templateName: `Matrix-${name}`,
    caId,
    class: 'DEVICE' as const,
    issueApprovers: 0,
    revocationApprovers: 0,
    extensions: {
      ...base,
      ignoreCsrDetails: name === 'ignoring',
      certificateSubjects: [{ subjectField: 'CN' as const, fieldValue: 'CommonName' }, ...further[name]],
      certificateSans:
        name === 'forms'
          ? [
              ...allForms,
              { sanField: 'RFC822' as const, fieldValue: 'Email' },
              { sanField: 'OTHER_NAME' as const, fieldValue: 'UPN' },
              { sanField: 'DIRECTORY_NAME' as const, fieldValue: 'DirectoryName' },
            ]
          : allForms.slice(0, { server: 2, ignoring: 1, client: 0, constrained: 0 }[name]),
      keyUsages: [...serverUsages],
      extendedUsages: [name === 'client' || name === 'constrained' ? ('clientAuth' as const) : ('serverAuth' as const)],
    },
    rules: {
      ...rules,
      keys: [...rules.keys],
      allowedDomains: name === 'constrained' ? [] : [...rules.allowedDomains],
      wildcards: name === 'forms',
    },
  }
}

const typed = { CommonName: [host], DNS: [host] }
const refusals = (error: unknown): Answer => {
  if (!(error instanceof CallRefused)) throw error
  const message = /^\d+ \w+: (.*?) \[/s.exec(error.message)?.[1] ?? error.message
  return { status: error.status, faults: error.fields.length > 0 ? [...error.fields] : [{ field: '', says: message }] }
}
const issued = (made: { certificateId?: string | undefined; status: string; error: string }): Answer =>
  made.certificateId === undefined
    ? { status: 200, faults: [{ field: '', says: `${made.status} ${made.error}` }] }
    : { status: 200, faults: [], certificateId: made.certificateId }

export function requestDoors(fixtures: Fixtures): RequestDoor[] {
  const { ada } = fixtures
  const reading = (one: RequestCase) => fixtures.reading[one.template ?? 'server']
  const { calls } = certificates
  return [
    {
      name: 'request',
      reads: true,
      issues: true,
      send: (one, csr) => ada.call(calls.request, { entity: 'device', templateId: reading(one), csr }).then(issued, refusals),
    },
    {
      name: 'CSR for a device',
      reads: false,
      issues: true,
      send: (_, csr) => ada.call(calls.requestForDevice, { templateId: fixtures.ignoring, csr, values: typed }).then(issued, refusals),
    },
    {
      name: 'CSR for a user',
      reads: false,
      issues: true,
      send: (_, csr) => ada.call(calls.requestForUser, { templateId: fixtures.user, csr }).then(issued, refusals),
    },
    {
      name: 'CSR for a user, read',
      reads: true,
      issues: true,
      send: (_, csr) => ada.call(calls.requestForUser, { templateId: fixtures.userReading, csr }).then(issued, refusals),
    },
    {
      name: 'check',
      reads: true,
      issues: false,
      send: (one, csr) =>
        ada
          .call(calls.check, { entity: 'device', templateId: reading(one), csr })
          .then(({ faults }) => ({ status: 200, faults }), refusals),
    },
    {
      name: 'preview',
      reads: true,
      issues: false,
      send: (one, csr) =>
        ada.call(templates.calls.preview, { draft: fixtures.draft(one.template ?? 'server'), csr }).then(
          ({ faults, findings }) => ({
            status: 200,
            faults: [
              ...faults,
              ...findings.filter(({ severity }) => severity !== 'warn').map(({ field, message }) => ({ field, says: message })),
            ],
          }),
          refusals,
        ),
    },
    {
      name: 'decoder',
      reads: false,
      issues: false,
      send: (_, text) =>
        ada.call(decoder.calls.decode, { text }).then(
          ({ items }) => ({
            status: 200,
            shown: true,
            faults: items.flatMap(({ fault, findings }) => [
              ...(fault === undefined ? [] : [{ field: fault.path ?? 'text', says: fault.says }]),
              ...findings.map(({ field, message }) => ({ field, says: message })),
            ]),
          }),
          refusals,
        ),
    },
  ]
}

/** What the certificate has that its template did not give; empty as it must be. */
export async function beyondTemplate({ ada, reading }: Fixtures, door: RequestDoor, certificateId: string): Promise<string> {
  const { certificate } = await ada.call(certificates.calls.info, { certId: certificateId })
  const [block] = decodePem(certificate.pem)
  if (block === undefined) return 'There is no certificate'
  const made = parseCertificate(block.bytes)
  if (door.reads && Object.values(reading).some((id) => id === certificate.templateId))
    return `issued: ${formatName(made.subject)}; ${namesOf(made)}`
  const people = door.name.includes('user')
  const [subject, names, purpose] = people
    ? ['CN=Ada Example', 'ada@example.org', KEY_PURPOSES.clientAuth]
    : [`CN=${host}`, host, KEY_PURPOSES.serverAuth]
  const is = {
    subject: formatName(made.subject),
    names: namesOf(made),
    usages: findExtension(made.extensions, 'keyUsage')?.usages.filter((usage) => !serverUsages.some((given) => given === usage)),
    purposes: findExtension(made.extensions, 'extKeyUsage')?.purposes,
    cA: findExtension(made.extensions, 'basicConstraints')?.cA,
  }
  const strange = made.extensions.map(({ type }) => type).filter((type) => !givenExtensions.has(type))
  return [
    ...(is.subject === subject ? [] : [`the subject ${is.subject}`]),
    ...(is.names === names ? [] : [`the names ${is.names}`]),
    ...(is.usages ?? ['keyUsage missing']),
    ...(is.purposes?.join() === purpose ? [] : [`the purposes ${is.purposes?.join() ?? 'none'}`]),
    ...(is.cA === false ? [] : ['cA']),
    ...strange,
  ].join('; ')
}

const namesOf = ({ extensions }: Certificate): string =>
  (findExtension(extensions, 'subjectAltName')?.names ?? [])
    .map((name) => generalNameText(name, formatName).replace(/^(DNS|email|rfc822Name|dNSName):\s*/i, ''))
    .join(', ')
const givenExtensions = new Set([
  'basicConstraints',
  'keyUsage',
  'subjectAltName',
  'extKeyUsage',
  'subjectKeyIdentifier',
  'authorityKeyIdentifier',
  'authorityInfoAccess',
  'cRLDistributionPoints',
  'freshestCRL',
])
