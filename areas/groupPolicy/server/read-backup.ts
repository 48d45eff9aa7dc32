// The backup of a group policy, or a copy of its folder in SYSVOL, as a ZIP file. It comes from a stranger: nothing of it names a place outside, no XML is
// parsed with entities, and passwords in it are flagged, never kept.

import { createHash } from 'node:crypto'
import { zipFiles } from '#core/server/attachments/zip-files.ts'
import { invalidField } from '#core/server/fault.ts'
import {
  certificateOfBlob,
  PolicyFileError,
  readInf,
  readRegistryPol,
  type RegistrySetting,
  type RegistryValue,
} from '#standards/group-policy/registry-pol.ts'
import { say } from '#standards/say/say.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { formatName } from '#standards/x509/names.ts'
import { enrolmentOf, stores, type Enrolment, type Finding, type Setting, type Side, type Store } from '../rules.ts'

export type DistributedCertificate = { side: Side; store: Store; thumbprint: string; matches: boolean; subject: string; until?: string }

export type Backup = {
  guid: string
  name: string
  computerVersion: number
  userVersion: number
  settings: Setting[]
  certificates: DistributedCertificate[]
  autoEnrolment: { side: Side; verdict: Enrolment }[]
  findings: { kind: Finding; file: string }[]
  scripts: { name: string; sha256: string }[]
}

const mostUnpacked = 50 * 1024 * 1024
const mostSettings = 20_000
const mostValue = 2_000

const guidPattern = /\{([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\}/i

export function readBackup(bytes: Uint8Array): Backup {
  const files = zipFiles(bytes, mostUnpacked)
  if (files === undefined) throw invalidField('file', say`This is no ZIP file, is locked, or unpacks to more than 50 MB`)
  const found = [...files].map(([name, content]) => ({ name: name.replaceAll('\\', '/'), content }))
  const { backup, known } = readFiles(identityOf(found), found)
  if (known === 0)
    throw invalidField('file', say`There is no group policy in this file: no Registry.pol, GptTmpl.inf, preferences or scripts`)
  return backup
}

/** Throws a fault that names the byte where a file is cut. */
export function readFiles(identity: Identity, found: readonly PolicyFile[]): { backup: Backup; known: number } {
  const backup: Backup = { ...identity, settings: [], certificates: [], autoEnrolment: [], findings: [], scripts: [] }
  let known = 0
  for (const { name, content } of found) {
    const side: Side = /(?:^|\/)user\//i.test(name) ? 'user' : 'computer'
    const lower = name.toLowerCase()
    if (lower.endsWith('/registry.pol')) registry(backup, side, content)
    else if (lower.endsWith('/gpttmpl.inf'))
      for (const { section, name: field, value } of readInf(content)) keep(backup, { area: 'Security', path: section, name: field, value })
    else if (/\/preferences\/.*\.xml$/.test(lower)) preferences(backup, name, content)
    else if (/\/scripts\/(?:startup|shutdown|logon|logoff)\/[^/]+$/.test(lower))
      backup.scripts.push({ name: lastOf(name), sha256: createHash('sha256').update(content).digest('hex') })
    else continue
    known += 1
  }
  return { backup, known }
}

export type PolicyFile = { name: string; content: Uint8Array }
export type Identity = Pick<Backup, 'guid' | 'name' | 'computerVersion' | 'userVersion'>

const lastOf = (path: string): string => (path.split('/').at(-1) ?? '').slice(0, 200)

/** By the information file of a backup; else by the folder's own name and GPT.INI. */
function identityOf(files: readonly PolicyFile[]): Identity {
  const info = textOf(ending(files, 'bkupinfo.xml'))
  const guid =
    guidPattern.exec(valueIn(info, 'GPOGuid'))?.[1] ?? files.map(({ name }) => guidPattern.exec(name)?.[1]).find((one) => one !== undefined)
  if (guid === undefined)
    throw invalidField('file', say`The file does not say which group policy it is: pack the folder that is named by an id in braces`)
  return {
    guid: guid.toLowerCase(),
    name: valueIn(info, 'GPODisplayName').slice(0, 200) || `{${guid.toUpperCase()}}`,
    ...versionsOf(files),
  }
}

const ending = (files: readonly PolicyFile[], end: string) => files.find(({ name }) => name.toLowerCase().endsWith(end))?.content

/** By GPT.INI, the versions of the files. */
export function versionsOf(files: readonly PolicyFile[]): Pick<Backup, 'computerVersion' | 'userVersion'> {
  const written = ending(files, 'gpt.ini')
  const version =
    Number(written === undefined ? 0 : (readInf(written).find(({ name }) => name.toLowerCase() === 'version')?.value ?? 0)) || 0
  return { computerVersion: version % 65_536, userVersion: Math.floor(version / 65_536) % 65_536 }
}

const textOf = (bytes: Uint8Array | undefined): string =>
  bytes === undefined
    ? ''
    : new TextDecoder(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8').decode(bytes.subarray(0, 200_000))

const valueIn = (xml: string, element: string): string => {
  const start = xml.indexOf(`<${element}>`)
  const end = start === -1 ? -1 : xml.indexOf(`</${element}>`, start)
  const inner = end === -1 ? '' : xml.slice(start + element.length + 2, end)
  return withoutControls(inner.replace(/^<!\[CDATA\[|\]\]>$/g, '')).trim()
}

const withoutControls = (text: string): string => Array.from(text, (one) => (one < ' ' || one === '\u007f' ? ' ' : one)).join('')

function keep(backup: Backup, setting: Setting): void {
  if (backup.settings.length === mostSettings) throw invalidField('file', say`The group policy has more than ${mostSettings} settings`)
  const clean = (text: string) => withoutControls(text.slice(0, mostValue)).toWellFormed()
  backup.settings.push({ area: setting.area, path: clean(setting.path), name: clean(setting.name), value: clean(setting.value) })
}

function registry(backup: Backup, side: Side, content: Uint8Array): void {
  let read: RegistrySetting[]
  try {
    read = readRegistryPol(content)
  } catch (error) {
    if (error instanceof PolicyFileError) throw invalidField('file', error.message)
    throw error
  }
  for (const setting of read) {
    const [, store, thumbprint = ''] = /\\SystemCertificates\\(\w+)\\Certificates\\([0-9A-Fa-f]{40})$/.exec(setting.key) ?? []
    const known = stores.find((one) => one.toLowerCase() === store?.toLowerCase())
    if (known !== undefined && setting.name.toLowerCase() === 'blob' && setting.value instanceof Uint8Array) {
      certificate(backup, { side, store: known, thumbprint: thumbprint.toLowerCase() }, setting.value)
      continue
    }
    if (/\\Cryptography\\AutoEnrollment$/i.test(setting.key) && setting.name === 'AEPolicy' && typeof setting.value === 'number')
      backup.autoEnrolment.push({ side, verdict: enrolmentOf(setting.value) })
    keep(backup, {
      area: side === 'computer' ? 'Computer' : 'User',
      path: setting.key,
      name: setting.name,
      value: valueText(setting.value),
    })
  }
}

const valueText = (value: RegistryValue): string =>
  value instanceof Uint8Array
    ? Buffer.from(value.subarray(0, 200)).toString('hex')
    : typeof value === 'object'
      ? value.join(', ')
      : String(value)

function certificate(backup: Backup, place: { side: Side; store: Store; thumbprint: string }, blob: Uint8Array): void {
  const der = certificateOfBlob(blob)
  try {
    if (der === undefined) throw new Error('no certificate')
    const { subject, notAfter } = parseCertificate(der)
    const thumbprint = createHash('sha1').update(der).digest('hex')
    backup.certificates.push({
      ...place,
      thumbprint,
      matches: thumbprint === place.thumbprint,
      subject: formatName(subject),
      until: notAfter.toISOString(),
    })
  } catch {
    backup.findings.push({ kind: 'unreadableCertificate', file: place.thumbprint })
  }
}

/** Preferences are told by their kind and how many there are; a password in one is flagged and kept nowhere. */
function preferences(backup: Backup, name: string, content: Uint8Array): void {
  const xml = textOf(content)
  const file = lastOf(name)
  if (/\bcpassword\s*=\s*["'][^"']+["']/i.test(xml)) backup.findings.push({ kind: 'password', file })
  const items = xml.match(/\bclsid\s*=/gi)?.length ?? 0
  keep(backup, { area: 'Preferences', path: file, name: 'items', value: String(Math.max(0, items - 1)) })
}
